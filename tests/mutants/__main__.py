"""`python -m tests.mutants 300 --seed N`: is the first failure named?"""

import argparse

from tests.mutants.measure import Measure, odd, report
from tests.mutants.operators import OPERATORS
from tests.mutants.world import World


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=300, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="*", default=[], help="numbers of mutants")
    parser.add_argument(
        "--operators", action="store_true", help="list the operators, start nothing"
    )
    given = parser.parse_args()
    if given.operators:
        for one in OPERATORS:
            print(f"{'neutral' if one.neutral else 'failing'}  {one.name}: {one.about}")
        return
    with World() as world:
        mutants = []
        for one in Measure(world).mutants(given.count, given.seed, given.only):
            print(one, flush=True)
            mutants.append(one)
            if given.only:
                print(one.started.log)
    print("\n--- misses, to be read")
    print("\n".join(str(one) for one in mutants if not one.right))
    print("\n--- other than the operator expects")
    print("\n".join(str(one) for one in odd(mutants)))
    print(f"\n--- seed {given.seed}")
    print(report(mutants))


if __name__ == "__main__":
    main()
