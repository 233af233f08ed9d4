"""Fine-tune the adapters of one run with the Trainer of transformers."""

from pathlib import Path

import hydra
import numpy as np
import optuna
import wandb
from omegaconf import DictConfig, OmegaConf
from sklearn.metrics import accuracy_score
from transformers import DataCollatorWithPadding, Trainer, TrainingArguments, set_seed

from src.model import make_model
from src.preprocess import get_splits, get_tokenizer


def compute_metrics(prediction):
    chosen = np.argmax(prediction.predictions, axis=-1)
    return {"accuracy": accuracy_score(prediction.label_ids, chosen)}


def build_trainer(settings, folder: Path, report: bool) -> Trainer:
    tokenizer = get_tokenizer(settings)
    train_rows, dev_rows = get_splits(settings, tokenizer)
    arguments = TrainingArguments(
        output_dir=str(folder),
        eval_strategy="epoch",
        logging_strategy="steps",
        logging_steps=10,
        num_train_epochs=settings.training.epochs,
        max_steps=settings.training.max_steps,
        per_device_train_batch_size=settings.training.train_batch,
        learning_rate=settings.training.rate,
        report_to="wandb" if report else "none",
    )
    return Trainer(
        model=make_model(settings),
        args=arguments,
        train_dataset=train_rows,
        eval_dataset=dev_rows,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )


def tune(settings, folder: Path) -> dict:
    """Search without tracking; return the best value of each key."""

    def objective(trial):
        for entry in settings.optuna.space:
            value = trial.suggest_float(entry.key, entry.low, entry.high, log=True)
            OmegaConf.update(settings, entry.key, value)
        trainer = build_trainer(settings, folder, report=False)
        trainer.train()
        return trainer.evaluate()["eval_accuracy"]

    study = optuna.create_study(direction="maximize")
    study.optimize(objective, n_trials=settings.optuna.n_trials)
    return study.best_params


@hydra.main(version_base=None, config_path="../config", config_name="config")
def main(cfg: DictConfig) -> None:
    set_seed(17)
    settings = cfg.run
    folder = Path(cfg.results_dir) / settings.run_id
    folder.mkdir(parents=True, exist_ok=True)
    if cfg.mode == "full" and settings.optuna.n_trials > 0:
        for key, value in tune(settings, folder).items():
            OmegaConf.update(settings, key, value)
    run = wandb.init(
        entity=cfg.wandb.entity,
        project=cfg.wandb.project,
        id=settings.run_id,
        mode="disabled" if cfg.mode == "trial" else cfg.wandb.mode,
        config=OmegaConf.to_container(settings, resolve=True),
    )
    trainer = build_trainer(settings, folder, report=True)
    trainer.train()
    scores = trainer.evaluate()
    run.log({"dev_accuracy": scores["eval_accuracy"], "dev_loss": scores["eval_loss"]})
    run.summary["dev_accuracy"] = scores["eval_accuracy"]
    run.finish()


if __name__ == "__main__":
    main()
