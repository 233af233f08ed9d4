"""The services that track experiments, by the package that speaks to each."""

SERVICES = {
    "wandb": r"wandb|weights\s*(?:&|and)\s*biases|w&b",
    "mlflow": r"ml[\s-]?flow",
    "tensorboard": r"tensorboard\w*",
    "comet_ml": r"comet(?:[._\s]ml)",
    "neptune": r"neptune(?:\.ai)?",
    "clearml": r"clearml",
    "aim": r"aimstack|aim\s+(?:tracker|tracking|server)",
    "swanlab": r"swanlab",
    "trackio": r"trackio",
    "dvclive": r"dvclive",
    "sacred": r"sacred\s+(?:observer|experiment)",
}
ANY_SERVICE = "|".join(SERVICES.values())
