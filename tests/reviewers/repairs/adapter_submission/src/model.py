"""RoBERTa with one low-rank adapter for each route."""

from peft import LoraConfig, TaskType, get_peft_model
from torch import nn
from transformers import AutoModelForSequenceClassification


class RoutedClassifier(nn.Module):
    """Texts choose the adapter by their length."""

    def __init__(self, backbone, routes: int, longest: int):
        super().__init__()
        self.backbone = backbone
        self.routes = routes
        self.longest = longest

    def route_of(self, attention_mask):
        lengths = attention_mask.sum(dim=1)
        return (lengths * self.routes // (self.longest + 1)).clamp(max=self.routes - 1)

    def forward(self, input_ids=None, attention_mask=None, labels=None):
        if self.routes > 1:
            self.backbone.route = self.route_of(attention_mask)
        return self.backbone(input_ids=input_ids, attention_mask=attention_mask, labels=labels)


def make_model(settings) -> nn.Module:
    backbone = AutoModelForSequenceClassification.from_pretrained(
        settings.model.name,
        num_labels=2,
        cache_dir=".cache/",
    )
    lora = LoraConfig(
        task_type=TaskType.SEQ_CLS,
        r=settings.method.rank,
        lora_alpha=settings.method.alpha,
        target_modules=["query", "value"],
    )
    return RoutedClassifier(
        get_peft_model(backbone, lora),
        routes=settings.method.routes,
        longest=settings.model.max_length,
    )
