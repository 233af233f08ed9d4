"""Compares the runs by their mean absolute error, in metres."""

import argparse
import json
from pathlib import Path


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--out", type=Path, required=True)
    words.add_argument("--runs", nargs="+", required=True)
    given = words.parse_args()
    errors = {}
    for run in given.runs:
        result = json.loads((given.out / run / "result.json").read_text())
        errors[run] = result["mae_m"]
    best = min(errors, key=errors.get)
    table = pd.DataFrame({"run": errors.keys(), "mae_m": errors.values()})
    table.to_csv(given.out / "errors.csv", index=False)
    print(f"best: {best}")


if __name__ == "__main__":
    main()
