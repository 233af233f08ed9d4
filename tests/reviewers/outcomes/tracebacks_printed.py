"""Outputs with Python tracebacks in every form, of small programs that fail like real ones."""

from tests.reviewers.outcomes.outputs import HEAD, TAIL, at, library, line_of, own, printed

_FIT = own("src/train.py", "accuracy = fit(cfg, learning_rate, tracked=True)")
_LOSS = own("src/train.py", "loss = cross_entropy(", "fit")
_LOAD = own("src/preprocess.py", "data = load_dataset(", "build_loaders")
_RAISE = own("src/preprocess.py", "raise RuntimeError(", "build_loaders")
_GATHER = own("src/train.py", "for step, (features, labels) in enumerate(train_loader)", "fit")
_AT_LOSS, _AT_LOAD = (
    at("src/train.py", "loss = cross_entropy("),
    at("src/preprocess.py", "data = load_dataset("),
)
_ENCODE = at("src/preprocess.py", "row[sum(word.encode())")
_SHAPES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x512 and 256x4)\n"
_CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"
_WHILE = "\nDuring handling of the above exception, another exception occurred:\n\n"
_NO_SET = (
    "datasets.exceptions.DatasetNotFoundError: Dataset 'ag_new' doesn't exist on the Hub or cannot"
    " be accessed.\n"
)
_MERGE = own("src/train.py", "cfg = OmegaConf.merge(", marks=True)
_WIDE = own("src/preprocess.py", "row[sum(word.encode())", "encode")


def _red(text: str) -> str:
    return f"\x1b[1;31m{text}\x1b[0m"


_COLOURED = (
    '  File \x1b[35m"/app/src/train.py"\x1b[0m, '
    f"line \x1b[35m{line_of('src/train.py', 'loss.backward()')}\x1b[0m, in \x1b[35mfit\x1b[0m\n"
    f"    {_red('loss.backward')}\x1b[31m()\x1b[0m\n    {_red('~~~~~~~~~~~~~^^')}\n"
    "\x1b[1;35mRuntimeError\x1b[0m: \x1b[35melement 0 of tensors does not require grad and does not"
    " have a grad_fn\x1b[0m\n"
)
_GROUP = (
    "  + Exception Group Traceback (most recent call last):\n  | "
    + _FIT.replace("\n    ", "\n  |     ")
    + "  | ExceptionGroup: workers failed (2 sub-exceptions)\n"
    "  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n"
    "    | "
    + _WIDE.replace("\n    ", "\n    |     ")
    + "    | KeyError: 'words'\n    +---------------- 2 ----------------\n"
    "    | ValueError: another\n    +------------------------------------\n"
)

TRACEBACKS = (
    printed(
        "plain", HEAD + _FIT + _LOSS + _SHAPES, ("RuntimeError", _AT_LOSS, "tensor-or-runtime")
    ),
    printed(
        "last-own-frame",
        HEAD
        + _FIT
        + _LOSS
        + library("torch/nn/functional.py")
        + library("torch/nn/modules/linear.py")
        + _SHAPES,
        ("RuntimeError", _AT_LOSS, "tensor-or-runtime"),
    ),
    printed(
        "file-of-the-same-name-in-a-library",
        HEAD
        + _FIT
        + library(
            "src/train.py", line_of("src/train.py", "loss.backward()"), "fit", "loss.backward()"
        )
        + _SHAPES,
        (
            "RuntimeError",
            at("src/train.py", "accuracy = fit(cfg, learning_rate, tracked=True)"),
            "tensor-or-runtime",
        ),
    ),
    printed(
        "windows",
        HEAD
        + _FIT.replace(
            "/home/runner/work/gated-mlp/gated-mlp/src/", "C:\\Users\\lab\\gated-mlp\\src\\"
        ).replace("\n", "\r\n")
        + "NameError: name 'fitt' is not defined\r\n",
        (
            "NameError",
            at("src/train.py", "accuracy = fit(cfg, learning_rate, tracked=True)"),
            "undefined-name",
        ),
    ),
    printed(
        "docker",
        HEAD + _LOSS.replace("/home/runner/work/gated-mlp/gated-mlp", "/app") + _SHAPES,
        ("RuntimeError", _AT_LOSS, "tensor-or-runtime"),
    ),
    printed(
        "moved-line",
        HEAD
        + _LOSS.replace(f"line {line_of('src/train.py', 'loss = cross_entropy(')}", "line 3")
        + _SHAPES,
        ("RuntimeError", _AT_LOSS, "tensor-or-runtime"),
    ),
    printed(
        "line-that-is-gone",
        HEAD
        + '  File "/app/src/model.py", line 7, in forward\n    return self.layers[0](tokens)\n'
        + "IndexError: index 9 is out of bounds\n",
        ("IndexError", "src/model.py", "tensor-or-runtime"),
    ),
    printed(
        "colours-of-3.13",
        HEAD + _COLOURED,
        ("RuntimeError", at("src/train.py", "loss.backward()"), "tensor-or-runtime"),
    ),
    printed(
        "own-error-from-a-library's",
        HEAD
        + _LOAD
        + library("datasets/load.py")
        + _NO_SET
        + _CAUSED
        + HEAD
        + _FIT
        + _RAISE
        + "RuntimeError: cannot load ag_new\n",
        (
            "datasets.exceptions.DatasetNotFoundError",
            _AT_LOAD,
            "data-pipeline-incomplete",
            "Dataset 'ag_new'",
        ),
    ),
    printed(
        "library-says-it-better",
        HEAD
        + library("requests/models.py", code="raise HTTPError(http_error_msg, response=self)")
        + "requests.exceptions.HTTPError: 404 Client Error: Not Found for url:"
        " https://huggingface.co/Small-7B\n"
        + _CAUSED
        + HEAD
        + own("src/train.py", "train_loader, test_loader = build_loaders(cfg)", "fit")
        + library("transformers/utils/hub.py", code="raise EnvironmentError(")
        + "OSError: Small-7B is not a local folder and is not a valid model identifier listed on "
        "'https://huggingface.co/models'\n"
        + "If this is a private repository, make sure to pass a token with `token` or log in with"
        " `huggingface-cli login`\n",
        (
            "OSError",
            at("src/train.py", "train_loader, test_loader = build_loaders(cfg)"),
            "model-or-method-missing",
        ),
    ),
    printed(
        "error-in-the-handler",
        HEAD
        + _LOAD
        + library("datasets/load.py")
        + _NO_SET
        + _WHILE
        + HEAD
        + '  File "/app/src/preprocess.py", line 25, in build_loaders\n    print(nam)\n'
        + "NameError: name 'nam' is not defined\n",
        ("NameError", "src/preprocess.py", "undefined-name"),
    ),
    printed(
        "reworded-in-the-handler",
        HEAD
        + _LOAD
        + library("datasets/load.py")
        + _NO_SET
        + _WHILE
        + HEAD
        + _RAISE
        + "RuntimeError: cannot load ag_new\n",
        ("datasets.exceptions.DatasetNotFoundError", _AT_LOAD, "data-pipeline-incomplete"),
    ),
    printed(
        "exception-group", _GROUP, ("KeyError", _ENCODE, "data-pipeline-incomplete", "'words'")
    ),
    printed(
        "syntax-error-in-an-import",
        HEAD
        + own("src/train.py", "from src.model import build_model", "<module>")
        + '  File "/app/src/model.py", line 12\n    def forward(self, rows:\n'
        "               ^\nSyntaxError: '(' was never closed\n",
        ("SyntaxError", "src/model.py", "syntax-invalid"),
    ),
    printed(
        "syntax-error-of-the-script",
        '  File "/app/src/train.py", line 16\n    from src.preprocess import build_loaders\n'
        "    ^^^^\nIndentationError: unexpected indent\n",
        (
            "IndentationError",
            at("src/train.py", "from src.preprocess import build_loaders"),
            "syntax-invalid",
        ),
    ),
    printed(
        "recursion",
        HEAD
        + _FIT
        + _WIDE * 3
        + "  [Previous line repeated 992 more times]\nRecursionError: maximum recursion depth"
        " exceeded\n",
        ("RecursionError", _ENCODE, "tensor-or-runtime"),
    ),
    printed(
        "long-message-and-notes",
        HEAD
        + own("src/train.py", "model = build_model(cfg)", "fit")
        + library("torch/nn/modules/module.py")
        + "RuntimeError: Error(s) in loading state_dict for GatedMlp:\n\tsize mismatch for"
        " out.weight: copying a param\n"
        + "the checkpoint is an older one\nwandb: You can sync this run later\n",
        (
            "RuntimeError",
            at("src/train.py", "model = build_model(cfg)"),
            "tensor-or-runtime",
            "the checkpoint is an older one",
        ),
    ),
    printed(
        "warnings-around",
        "/app/src/train.py:3: UserWarning: a warning\n  warnings.warn('x')\n"
        + HEAD
        + _LOSS
        + _SHAPES
        + "\nException ignored in: <function Loader.__del__ at 0x7f>\n"
        + HEAD
        + library("torch/utils/data/dataloader.py")
        + "AttributeError: 'Loader' object has no attribute 'workers'\n",
        ("RuntimeError", _AT_LOSS, "tensor-or-runtime"),
    ),
    printed(
        "stopped-by-hand",
        "^C" + HEAD + _FIT + _LOSS + "KeyboardInterrupt\n",
        ("KeyboardInterrupt", _AT_LOSS, "environment"),
    ),
    printed(
        "child-before-its-parent",
        "Error executing job with overrides: ['run=p']\n"
        + HEAD
        + _LOSS
        + _SHAPES
        + TAIL
        + HEAD
        + own("src/main.py", "subprocess.run(command, cwd=root, check=True)")
        + '  File "/usr/lib/python3.11/subprocess.py", line 571, in run\n'
        "    raise CalledProcessError(retcode, process.args,\n"
        + "subprocess.CalledProcessError: Command '['python', '-m', 'src.train']' returned non-zero"
        " exit status 1.\n",
        ("RuntimeError", _AT_LOSS, "tensor-or-runtime"),
    ),
    printed(
        "data-loader-worker",
        HEAD
        + _FIT
        + _GATHER
        + library("torch/_utils.py", code="raise exception")
        + "KeyError: Caught KeyError in DataLoader worker process 0.\nOriginal "
        + HEAD
        + library("torch/utils/data/_utils/worker.py")
        + _WIDE
        + "KeyError: 'text'\n",
        ("KeyError", _ENCODE, "data-pipeline-incomplete", "'text'"),
    ),
    printed(
        "joblib",
        'joblib.externals.loky.process_executor._RemoteTraceback: \n"""\n'
        + HEAD
        + library("joblib/parallel.py")
        + _WIDE
        + "ZeroDivisionError: integer modulo by zero\n"
        + '"""\n'
        + _CAUSED
        + HEAD
        + _FIT
        + library("joblib/parallel.py")
        + "ZeroDivisionError: integer modulo by zero\n",
        ("ZeroDivisionError", _ENCODE, "data-pipeline-incomplete"),
    ),
    printed(
        "rank-and-time-before-each-line",
        "".join(
            f"2026-03-01T10:00:0{number % 10}.1234567Z [rank0]: {line}\n"
            for number, line in enumerate((HEAD + _FIT + _LOSS + _SHAPES).rstrip("\n").split("\n"))
        ),
        ("RuntimeError", _AT_LOSS, "tensor-or-runtime"),
    ),
    printed(
        "after-a-progress-bar",
        "epoch 1:  10%|#   | 3/30\repoch 1:  50%|##  | 15/30" + HEAD + _LOSS + _SHAPES,
        ("RuntimeError", _AT_LOSS, "tensor-or-runtime"),
    ),
    printed(
        "no-key-for-wandb",
        HEAD
        + own("src/train.py", "wandb.init(")
        + library("wandb/sdk/wandb_init.py")
        + "wandb.errors.errors.UsageError: api_key not configured (no-tty). call"
        " wandb.login(key=[your_api_key])\n",
        ("wandb.errors.errors.UsageError", at("src/train.py", "wandb.init("), "environment"),
    ),
    printed(
        "gpu-memory",
        HEAD
        + _LOSS
        + library("torch/nn/functional.py")
        + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
        "total capacity of 15.77 GiB\n",
        ("torch.OutOfMemoryError", _AT_LOSS, "environment"),
    ),
    printed(
        "gated-model",
        HEAD
        + _FIT
        + library("transformers/utils/hub.py")
        + "OSError: You are trying to access a gated repo.\n401 Client Error.\n",
        (
            "OSError",
            at("src/train.py", "accuracy = fit(cfg, learning_rate, tracked=True)"),
            "environment",
        ),
    ),
    printed(
        "struct-merge",
        "Error executing job with overrides: ['run=p']\n"
        + HEAD
        + _MERGE
        + "omegaconf.errors.ConfigKeyError: Key 'run_id' is not in struct\n    full_key: run_id\n  "
        "  object_type=dict" + TAIL,
        (
            "omegaconf.errors.ConfigKeyError",
            at("src/train.py", "cfg = OmegaConf.merge("),
            "hydra-composition",
            "full_key: run_id",
        ),
    ),
    printed(
        "yaml-with-its-place",
        HEAD
        + library("hydra/_internal/hydra.py")
        + library("yaml/parser.py")
        + 'yaml.parser.ParserError: while parsing a flow sequence\n  in "/app/config/config.yaml",'
        " line 9, column 4\n"
        + "expected ',' or ']', but got ':'\n  in \"/app/config/config.yaml\", line 10, column 2\n",
        ("yaml.parser.ParserError", "config/config.yaml:10", "hydra-composition"),
    ),
    printed(
        "absent-package",
        HEAD
        + own("src/train.py", "import optuna", "<module>")
        + "ModuleNotFoundError: No module named 'optuna'\n",
        ("ModuleNotFoundError", at("src/train.py", "import optuna"), "packaging-invalid"),
    ),
    printed(
        "name-that-a-library-lacks",
        HEAD
        + own("src/train.py", "from torch.nn.functional import cross_entropy", "<module>")
        + "ImportError: cannot import name 'cross_entropy' from 'torch.nn.functional'"
        " (/opt/torch/nn/functional.py)\n",
        (
            "ImportError",
            at("src/train.py", "from torch.nn.functional import cross_entropy"),
            "nonexistent-api",
        ),
    ),
    printed(
        "wrong-keyword",
        HEAD
        + own("src/train.py", "optimiser = torch.optim.AdamW(", "fit")
        + "TypeError: AdamW.__init__() got an unexpected keyword argument 'learning_rate'\n",
        ("TypeError", at("src/train.py", "optimiser = torch.optim.AdamW("), "call-signature"),
    ),
)
