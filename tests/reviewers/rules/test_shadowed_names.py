"""Guards when a name that something local hides is reported, and that other rules follow Python's
scopes there.
"""

import pytest

from tests.reviewers.rules.asking import messages


def found(rule: str, text: str) -> list[str]:
    return messages(rule, {"src/train.py": text})


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import time\n\ntime = time.time()\n\ndef main():\n    return time.time()\n",
         "'float' object has no attribute 'time'"),
        ("import re\n\ndef main(x):\n    re = ','.join(x)\n    return re.sub('', '', x)\n",
         "'str' object has no attribute 'sub'"),
        ("def main(x):\n    sum = 0.0\n    return sum(x)\n", "'float' object is not callable"),
        ("import random\n\ndef main(x):\n    for random in x:\n        print(random['a'])\n"
         "    return random.randint(1, 2)\n", "a mapping has no attribute 'randint'"),
    ],
    ids=["time", "joined", "builtin", "asked by text"],
)  # fmt: skip
def test_a_value_is_not_the_module_whose_name_it_has(text: str, error: str) -> None:
    (message,) = found("IM15", text)
    assert error in message


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import wandb\nexcept ImportError:\n    wandb = None\n\ndef main():\n"
        "    return wandb.init()\n",
        "import random\n\ndef main(random):\n    return random.choice([1])\n",
        "import json\n\ndef main():\n    return [json.load(x) for x in open('a')]\n",
        "from scipy import stats\n\ndef main(runs):\n    for stats in runs:\n"
        "        print(stats['a'].mean(), stats.describe())\n",
        "import re\n\ndef main(x):\n    re = 'a'\n    print(re.upper())\n",
        "import time\n\ndef main(x):\n    if x:\n        time = 3\n    else:\n        time = x\n"
        "    return time.time()\n",
        "import re\n\ndef main(x):\n    re = 'a'\n    try:\n        return re.sub(x)\n"
        "    except AttributeError:\n        return x\n",
        "import time\n\nif __name__ == '__main__':\n    time = 3\n\ndef main():\n    time.time()\n",
        "import copy\n\ncopy = 3\n\ndef swap(other):\n    global copy\n    copy = other\n\n"
        "def main():\n    return copy.deepcopy(3)\n",
    ],
    ids=[
        *(
            "optional", "passed", "comprehension", "a table", "has it", "may be", "caught",
            "under if",
        ),
        "set from inside",
    ],
)  # fmt: skip
def test_what_may_be_meant_is_left_alone(text: str) -> None:
    assert found("IM15", text) == []


OWN = "from datasets import load_dataset\n\ndef load_dataset(name):\n"


def test_the_last_definition_of_a_module_is_the_one_that_its_functions_call() -> None:
    text = f"{OWN}    return name\n\ndef main():\n    return load_dataset('a', split='train')\n"
    (message,) = found("IM07", text)
    assert "load_dataset() got an unexpected keyword argument 'split'" in message
    conditional = text.replace("def load_", "if True:\n  def load_").replace(
        "    return name", "  "
    )
    assert found("IM07", conditional.replace("(name):\n  ", "(name): pass")) == []


def test_no_library_is_asked_for_what_a_variable_of_its_name_has() -> None:
    text = (
        "from scipy import stats\n\ndef main(runs):\n    stats: list = []\n    stats.append(runs)\n"
    )
    assert found("IM09", text) == []
    assert "scipy.stats" in found("IM09", text.replace("    stats: list = []\n", ""))[0]
