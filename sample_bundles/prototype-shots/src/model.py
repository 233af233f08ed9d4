"""Conv-4 embedding and the two heads: nearest prototype, and shrunk prototypes with pooled precisions."""

import torch
import torch.nn as nn


def _block(in_channels: int, out_channels: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
    )


class Conv4(nn.Module):
    """Four blocks of convolution, normalisation and pooling."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(
            _block(1, channels), _block(channels, channels), _block(channels, channels), _block(channels, channels)
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.blocks(images).flatten(start_dim=1)


def class_means(features: torch.Tensor, labels: torch.Tensor, ways: int) -> torch.Tensor:
    """Mean feature of each class, shape (ways, features)."""
    one_hot = torch.nn.functional.one_hot(labels, ways).to(features.dtype)
    return one_hot.t() @ features / one_hot.sum(dim=0).unsqueeze(1)


class PrototypeHead(nn.Module):
    """Negative squared Euclidean distance to the class means."""

    def forward(self, support: torch.Tensor, labels: torch.Tensor, query: torch.Tensor, ways: int) -> torch.Tensor:
        prototypes = class_means(support, labels, ways)
        return -torch.cdist(query, prototypes).pow(2)

    def shrinkage(self) -> torch.Tensor:
        return torch.zeros(2)


class ShrunkPrototypeHead(nn.Module):
    """Negative Mahalanobis distance to prototypes shrunk towards their common mean.

    The variances are pooled over the classes of the episode and shrunk towards their average over the
    dimensions. Both amounts of shrinkage are learned, and stay between 0 and 1 through a sigmoid.
    """

    def __init__(self, mean_shrinkage: float, variance_shrinkage: float) -> None:
        super().__init__()
        start = torch.tensor([mean_shrinkage, variance_shrinkage])
        self.logit = nn.Parameter(torch.logit(start))
        self.log_scale = nn.Parameter(torch.zeros(()))

    def shrinkage(self) -> torch.Tensor:
        return torch.sigmoid(self.logit)

    def forward(self, support: torch.Tensor, labels: torch.Tensor, query: torch.Tensor, ways: int) -> torch.Tensor:
        to_mean, to_average = self.shrinkage()
        means = class_means(support, labels, ways)
        prototypes = (1.0 - to_mean) * means + to_mean * means.mean(dim=0, keepdim=True)

        residuals = support - means[labels]
        degrees = max(len(support) - ways, 1)
        variance = residuals.pow(2).sum(dim=0) / degrees
        variance = (1.0 - to_average) * variance + to_average * variance.mean()
        precision = torch.rsqrt(variance + 1e-4)

        distance = torch.cdist(query * precision, prototypes * precision).pow(2)
        return -self.log_scale.exp() * distance / query.shape[1]


class FewShotClassifier(nn.Module):
    """An embedding and a head; the output is (queries, ways)."""

    def __init__(self, embedding: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.embedding = embedding
        self.head = head

    def forward(self, episode, ways: int) -> torch.Tensor:
        features = self.embedding(torch.cat([episode.support, episode.query]))
        support, query = features.split([len(episode.support), len(episode.query)])
        return self.head(support, episode.support_labels, query, ways)


def build_model(cfg) -> FewShotClassifier:
    if cfg.model.name != "conv4":
        raise ValueError(f"Unknown model: {cfg.model.name}")
    embedding = Conv4(cfg.model.channels)
    if cfg.method.name == "prototypical":
        return FewShotClassifier(embedding, PrototypeHead())
    if cfg.method.name == "shrunk-prototypes":
        head = ShrunkPrototypeHead(cfg.method.initial_mean_shrinkage, cfg.method.initial_variance_shrinkage)
        return FewShotClassifier(embedding, head)
    raise ValueError(f"Unknown method: {cfg.method.name}")
