"""What torch makes of tensors and networks, and where it refuses (`tensors.py`)."""

from collections.abc import Iterator

from reviewers.facts.config_flow import batches, tensors
from reviewers.facts.config_flow.calls import apply, unknown
from reviewers.facts.config_flow.cells import ARRAY, LIST, Cell, Each
from reviewers.facts.config_flow.data_values import DataError, Row
from reviewers.facts.config_flow.library_values import SeveralValues
from reviewers.facts.config_flow.tables import CALLED, OTHER, OutsideCall, method, transfer
from reviewers.facts.config_flow.tensors import (
    CPU,
    FLOATS,
    Autocast,
    GradMode,
    Network,
    NetworkPart,
    Output,
    is_tensor,
    made,
)
from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, Device, External, Instance, Value
from reviewers.facts.world import BATCH

_PRODUCTS = tuple(
    f"torch.nn.{name}"
    for name in (
        "Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
        "ConvTranspose3d",
    )
)  # fmt: skip
_WEIGHTED = tuple(
    f"torch.nn.{name}"
    for name in (
        "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Embedding", "EmbeddingBag", "GRU",
        "GroupNorm", "LSTM", "LSTMCell", "LayerNorm", "MultiheadAttention", "RMSNorm", "RNN",
        "TransformerEncoderLayer",
    )
)  # fmt: skip
_SEVERAL = {  # values that they give
    "GRU": "output, h_n",
    "LSTM": "output, (h_n, c_n)",
    "LSTMCell": "h, c",
    "MultiheadAttention": "output, weights",
    "RNN": "output, h_n",
}
_PLAIN = tuple(
    f"torch.nn.{name}"
    for name in (
        "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "Dropout", "Dropout1d", "Dropout2d", "ELU",
        "Flatten", "GELU", "Identity", "LeakyReLU", "LogSoftmax", "MaxPool1d", "MaxPool2d", "ReLU",
        "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh", "Unflatten", "Upsample",
    )
)  # fmt: skip
_LOSSES = {
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CrossEntropyLoss": "cross_entropy",
    "HuberLoss": "huber_loss",
    "L1Loss": "l1_loss",
    "MSELoss": "mse_loss",
    "NLLLoss": "nll_loss",
    "SmoothL1Loss": "smooth_l1_loss",
}
_OF_CLASSES = frozenset({"cross_entropy", "nll_loss"})
_NO_CLASSES = frozenset({"bool", "int8", "int16", "int32"})
_INPUTS = ("input_ids", "inputs_embeds", "pixel_values", "input_values", "input_features", "input")
_FACTORIES = ("empty", "eye", "linspace", "ones", "rand", "randn", "zeros")
_LIKE = ("empty_like", "full_like", "ones_like", "rand_like", "randn_like", "zeros_like")
_TYPED = {"FloatTensor": "float32", "LongTensor": "int64"}
_OF_ONE = (
    "abs", "clamp", "exp", "flatten", "log", "mean", "relu", "round", "sigmoid", "softmax", "sqrt",
    "squeeze", "sum", "tanh", "transpose", "unsqueeze", "argmax", "log_softmax",
)  # fmt: skip
_DATA = (float, "float32"), (bool, "bool"), (int, "int64")


def _device_given(call: OutsideCall, device: str = CPU) -> str:
    """The device that something new is made on."""
    if call.is_open or not call.follower.has_defaults:
        return ""
    given = call.keywords.get("device")
    return device if given is None else tensors.device_of(given)


def _format_given(call: OutsideCall, dtype: str) -> str:
    if call.is_open or not call.follower.has_defaults:
        return ""
    given = call.keywords.get("dtype")
    if isinstance(given, str):
        raise tensors.refusal("format_text", made(device=_device_given(call)), what=call.name)
    return dtype if given is None else tensors.format_of(given)


def _new(call: OutsideCall, dtype: str, *, is_array: bool, device: str = CPU) -> Cell:
    given = _format_given(call, dtype), _device_given(call, device)
    found = made(*given, call.line, is_array=is_array)
    found.needs = call.keywords.get("requires_grad") is True
    return found


# Tensors


@transfer(*(f"torch.{name}" for name in _FACTORIES))
def _filled(call: OutsideCall, *sizes: Value) -> Value:
    is_several = call.name in ("torch.eye", "torch.linspace") or len(sizes) > 1
    known = len(sizes) == 1 and (isinstance(sizes[0], int) or bool(sizes[0]) is True)
    known = known and isinstance(sizes[0], (int, list))
    return _new(call, "float32", is_array=is_several or known)


@transfer("torch.randint", "torch.randperm")
def _whole(call: OutsideCall, *args: Value) -> Value:
    sized = args[-1] if args else None  # of `randint`
    is_array = call.name == "torch.randperm" or (isinstance(sized, list) and bool(sized))
    return _new(call, "int64", is_array=is_array)


@transfer("torch.arange")
def _counted(call: OutsideCall, *args: Value) -> Value:
    known = bool(args) and all(type(arg) is int for arg in args)
    is_float = any(isinstance(arg, float) for arg in args)
    return _new(call, "float32" if is_float else "int64" if known else "", is_array=True)


@transfer("torch.full")
def _full(call: OutsideCall, size: Value, fill_value: Value) -> Value:
    return _new(call, _format_of_data(fill_value), is_array=isinstance(size, list) and bool(size))


@transfer(*(f"torch.{name}" for name in _LIKE))
def _alike(call: OutsideCall, input: Value) -> Value:
    if not is_tensor(input):
        return _new(call, "", is_array=False, device="")
    return _new(call, input.dtype, is_array=input.is_array, device=input.device)


@transfer("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.asarray")
def _of_data(call: OutsideCall, data: Value) -> Value:
    known = None if call.is_open else batches.made("torch.tensor", data)
    if is_tensor(data):
        return _new(call, data.dtype, is_array=data.is_array, device=data.device)
    found = _new(call, _format_of_data(data), is_array=isinstance(data, (list, Each)))
    if isinstance(data, Cell) and data.kind in (LIST, ARRAY):
        found.is_array = data.is_array or data.kind == LIST
    if isinstance(known, Cell):
        found.length, found.negative = known.length, known.negative
    return found


def _format_of_data(data: Value) -> str:
    """The number format of a tensor that is made of plain numbers or an array."""
    if isinstance(data, Cell):
        return "int64" if data.is_ids else data.dtype
    kinds = {type(one) for one in (data if isinstance(data, list) else [data])}
    return next((name for kind, name in _DATA if kinds == {kind}), "")


@transfer(*(f"torch.{name}" for name in _TYPED))
def _typed(call: OutsideCall, data: Value) -> Value:
    batches.made(call.name, data)
    return made(_TYPED[call.callee.short], CPU, call.line, is_array=isinstance(data, list))


@transfer("torch.cat", "torch.concat", "torch.stack")
def _joined(call: OutsideCall, given: Value) -> Value:
    if isinstance(given, Each) and call.name == "torch.stack":
        batches.made(call.name, given)
        given = [given.item]
    parts = given if isinstance(given, list) else [UNKNOWN]
    whole = bool(parts) and all(map(is_tensor, parts))
    found = made(at=call.line, is_array=True)
    if whole:
        formats, devices = ({getattr(part, name) for part in parts} for name in ("dtype", "device"))
        found.dtype = formats.pop() if len(formats) == 1 else ""
        found.device = devices.pop() if len(devices) == 1 else ""
    tensors.require_one_device(parts, f"the parts of {call.name}", found)
    return found


@transfer("torch.nn.utils.rnn.pad_sequence")
def _padded(call: OutsideCall, given: Value) -> Value:
    known = None if call.is_open else batches.made(call.name, given)
    return unknown(call) if known is None else known


@transfer("torch.where")
def _chosen(call: OutsideCall, *args: Value) -> Value:
    tensors.require_one_device(args, "the arguments of torch.where")
    return UNKNOWN


@transfer("torch.matmul", "torch.mm", "torch.bmm", "torch.nn.functional.linear")
def _product(call: OutsideCall, input: Value, other: Value) -> Value:
    found = made(at=call.line)
    if is_tensor(input) and is_tensor(other):
        autocast = call.follower.autocast
        found.dtype = input.dtype if input.dtype == other.dtype and autocast is False else ""
        found.device = input.device
        given = (other.dtype, other.device, "the other factor", found)
        tensors.require_weights_fit(input, *given, autocast=autocast)
    return found


@transfer(*(f"torch.{name}" for name in _OF_ONE), "torch.nn.functional.*")
def _of_one(call: OutsideCall, input: Value, *args: Value) -> Value:
    """What a method gives under the same name; the other functions keep only the device."""
    input = tensors.as_tensor(input)
    if not is_tensor(input):
        return unknown(call)
    name = call.callee.short
    if name in _OF_ONE:
        found = tensors.method(input, name, args, call.keywords, call.line)
    else:
        found = made(device=input.device, at=call.line)
    if is_tensor(found) and call.follower.autocast is not False:
        found.dtype = ""
    return found


@transfer("torch.is_tensor")
def _is_tensor(call: OutsideCall, given: Value) -> Value:
    return True if is_tensor(given) else BATCH if tensors.is_loose(given) else UNKNOWN


@transfer("torch.cuda.current_device")
def _current(call: OutsideCall) -> Value:
    return 0


@transfer("torch.set_default_*")
def _default(call: OutsideCall, given: Value) -> Value:
    call.follower.has_defaults = False
    return None


@transfer("torch.nn.Parameter", "torch.nn.parameter.Parameter")
def _parameter(call: OutsideCall, data: Value = None, requires_grad: Value = True) -> Value:
    if not is_tensor(data):
        return UNKNOWN
    found = made(data.dtype, data.device, call.line, is_array=data.is_array)
    found.is_kept, found.needs = True, requires_grad is True
    if data.dtype and data.dtype not in FLOATS and requires_grad is True:
        raise tensors.refusal("whole_parameter", found, further=[data.at])
    return found


# Losses


@transfer(*(f"torch.nn.functional.{name}" for name in _LOSSES.values()))
def _loss(call: OutsideCall, input: Value, target: Value, weight: Value = None) -> Value:
    return _compared(call, call.callee.short, input, target, weight)


@transfer(*(f"torch.nn.{name}" for name in _LOSSES))
def _criterion(call: OutsideCall, weight: Value = None) -> Value:
    kept = [weight] if is_tensor(weight) else []
    copies = tuple(made(one.dtype, one.device, one.at, is_array=True) for one in kept)
    for one in copies:
        one.is_kept = True
    return Network(call.callee.short, "", "", call.line, kept=copies)


def _compared(call: OutsideCall, name: str, input: Value, target: Value, weight: Value) -> Value:
    input, target = tensors.as_tensor(input), tensors.as_tensor(target)
    found = made(input.dtype, input.device, call.line) if is_tensor(input) else made()
    is_one = is_tensor(target) and target.dtype == found.dtype
    found.dtype = found.dtype if call.follower.autocast is False and is_one else ""
    if name == "binary_cross_entropy" and call.follower.autocast:
        raise tensors.refusal("unsafe_loss", found)
    both = [one for one in (input, target) if is_tensor(one)]
    if name in _OF_CLASSES and len({one.device for one in both if one.device}) > 1:
        raise tensors.refusal("devices", found, what=f"input and target of {name}")
    tensors.require_one_device(both, f"input and target of {name}", found)
    if is_tensor(weight) and is_tensor(input):
        said = f"the class weights of {name} are on {weight.device}, its input on {input.device}"
        if weight.device and input.device and weight.device != input.device:
            raise tensors.refusal("devices", found, what=said, further=[weight.at])
    if is_tensor(target) and target.dtype:
        shown = {"got": target.dtype, "what": name, "further": [target.at]}
        is_float = target.dtype in FLOATS
        wrong = name in _OF_CLASSES and target.dtype in _NO_CLASSES
        if wrong or (name == "nll_loss" and is_float):
            raise tensors.refusal("class_targets", found, **shown)
        if name.startswith("binary_cross_entropy") and not is_float and is_tensor(input):
            raise tensors.refusal("float_targets", found, **shown)
    return found


# Networks


@transfer(*_PRODUCTS, *_WEIGHTED)
def _layer(call: OutsideCall, *args: Value) -> Value:
    given = _format_given(call, "float32"), _device_given(call)
    return Network(call.callee.short, *given, call.line)


@transfer(*_PLAIN)
def _plain(call: OutsideCall, *args: Value) -> Value:
    return Network(call.callee.short, "", "", call.line)


@transfer("torch.nn.Sequential")
def _in_turn(call: OutsideCall, *parts: Value) -> Value:
    known = not call.is_open
    return Network("Sequential", "", "", call.line, tuple(parts)) if known else UNKNOWN


@transfer("torch.nn.ModuleList")
def _list(call: OutsideCall, modules: Value = ()) -> Value:
    parts = call.follower.turns(modules) if isinstance(modules, list) else None
    return UNKNOWN if parts is None else Network("ModuleList", "", "", call.line, tuple(parts))


@transfer("transformers.*Model*.from_pretrained", "transformers.*For*.from_pretrained")
def _pretrained(call: OutsideCall, *args: Value) -> Value:
    given = call.keywords
    dtype = given.get("torch_dtype", given.get("dtype", UNKNOWN))
    dtype = External(f"torch.{dtype}") if isinstance(dtype, str) else dtype
    quantized = ("quantization_config", "load_in_4bit", "load_in_8bit")
    placed = (given.get("device_map"), *(given.get(name) for name in quantized))
    spread = call.is_open or any(value not in (None, False) for value in placed)
    whole = "" if spread and placed[0] is None else tensors.format_of(dtype)
    return Network("", whole, "" if spread else CPU, call.line, is_spread=spread)


@transfer("timm.create_model", "torchvision.models.*")
def _made(call: OutsideCall, *args: Value) -> Value:
    name = call.callee.short
    if not name.islower() or name.endswith(("weight", "weights", "list_models", "get_model")):
        return unknown(call)
    return Network("", "float32", _device_given(call), call.line)


@method(Network, CALLED, "forward")
def _called(call: OutsideCall, owner: Network, *args: Value) -> Value:
    follower, autocast = call.follower, call.follower.autocast
    first = args[0] if args else UNKNOWN
    if owner.kind == "Sequential":
        for part in owner.parts:
            first = apply(follower, part, [first])
        return first
    if owner.kind in _LOSSES:
        if len(args) != 2:
            return UNKNOWN
        kept = owner.kept[0] if owner.kept else None
        return _compared(call, _LOSSES[owner.kind], *args, kept)
    if f"torch.nn.{owner.kind}" in _PLAIN:
        first = tensors.as_tensor(first)
        if not is_tensor(first):
            return UNKNOWN
        dtype = first.dtype if autocast is False else ""
        return made(dtype, first.device, call.line, is_array=first.is_array)
    found = _output(call, owner, first)
    _require_inputs_fit(call, owner, found)
    return found


def _output(call: OutsideCall, owner: Network, first: Value) -> Value:
    """What a network, or a layer that has weights, gives."""
    dtype = owner.dtype if call.follower.autocast is False else ""
    if "Norm" in owner.kind and getattr(first, "dtype", "") != dtype:
        dtype = ""  # in float32 it takes half of that as well, and gives it
    found = made(dtype, owner.device, call.line, is_array=True)
    if owner.kind == "":
        return Output(found)
    if owner.kind in _SEVERAL:
        several = SeveralValues([UNKNOWN, UNKNOWN])
        several.by = f"torch.nn.{owner.kind} gives 2: {_SEVERAL[owner.kind]}"
        return several
    return UNKNOWN if owner.kind == "ModuleList" else found


def _require_inputs_fit(call: OutsideCall, owner: Network, found: Value) -> None:
    has = owner.dtype if f"torch.nn.{owner.kind}" in _PRODUCTS else ""
    what = f"the network ({owner.at.file}:{owner.at.line})" if owner.at else "the network"
    for one in _inputs(call):
        if isinstance(one, SeveralValues) and has:
            said = f"the input of torch.nn.{owner.kind} must be Tensor, not tuple: {one.by}"
            raise DataError("values", "TypeError", said, found)
        if owner.kind == "Embedding" and is_tensor(one) and one.dtype in FLOATS:
            raise tensors.refusal("indices", found, got=one.dtype, further=[one.at])
        tensors.require_weights_fit(
            one, has, owner.device, what, found, autocast=call.follower.autocast
        )


def _inputs(call: OutsideCall) -> Iterator[Value]:
    """What a network looks up or multiplies first."""
    yield from call.args[:1]
    spread = call.keywords.get(ANYTHING)
    if tensors.is_loose(spread):
        yield spread
    for given in (call.keywords, spread if isinstance(spread, dict) else {}):
        yield from (given[name] for name in _INPUTS if name in given)


@method(Network, "generate")
def _generated(call: OutsideCall, owner: Network) -> Value:
    found = made("int64", owner.device, call.line, is_array=True)
    for one in _inputs(call):
        tensors.require_weights_fit(one, "", owner.device, "the network", found, autocast=None)
    return UNKNOWN if call.is_open or "return_dict_in_generate" in call.keywords else found


@method((Network, Instance), "to", "cuda", "cpu", "half", "float", "double", "bfloat16")
def _moved(call: OutsideCall, owner: Network | Instance, *args: Value) -> Value:
    dtype, device = tensors.conversion(call.name, args, call.keywords)
    tensors.convert(owner, dtype, device, is_sure=not call.follower.may_be_undone)
    return owner


@method((Network, Instance), "parameters")
def _parameters(call: OutsideCall, owner: Network | Instance) -> Value:
    return tensors.Weights(owner)


@method(Network, "get_input_embeddings", "get_output_embeddings")
def _embeddings(call: OutsideCall, owner: Network) -> Value:
    kind = "Embedding" if call.name == "get_input_embeddings" else "Linear"
    made = Network(kind, owner.dtype, owner.device, owner.at, is_spread=owner.is_spread)
    owner.parts += (made,)
    return made


@method(Network, OTHER)
def _of_network(call: OutsideCall, owner: Network) -> Value:
    if call.name in ("eval", "train", "requires_grad_"):
        return owner
    if call.name not in tensors.HARMLESS:
        tensors.forget(owner)
    return UNKNOWN


@method(NetworkPart, CALLED)
def _of_part(call: OutsideCall, owner: NetworkPart) -> Value:
    if owner.name not in tensors.HARMLESS:
        tensors.forget(owner)
    return UNKNOWN


@method(Instance, "register_buffer", "register_parameter")
def _registered(call: OutsideCall, owner: Instance, name: Value, tensor: Value = None) -> Value:
    if isinstance(name, str):
        kept = is_tensor(tensor) and not call.follower.may_be_undone
        if kept:
            tensor.is_kept = True
        owner.attributes[name] = tensor if kept else UNKNOWN
    return None


@transfer("peft.get_peft_model", "peft.prepare_model_for_kbit_training", "torch.compile")
def _wrapped(call: OutsideCall, model: Value) -> Value:
    """The same weights on the same device; adapters have a number format of their own."""
    if not isinstance(model, (Network, Instance)) or call.is_open:
        return unknown(call)
    if call.name != "torch.compile":
        tensors.convert(model, "", None, is_sure=True)
        if isinstance(model, Instance):
            return unknown(call)
    return model


# Autocast


@transfer(
    "torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast",
    "torch.cuda.amp.autocast", "torch.cuda.amp.autocast_mode.autocast",
)  # fmt: skip
def _autocast(call: OutsideCall, *args: Value) -> Value:
    enabled = call.keywords.get("enabled", True)
    if ".cuda." in call.name:
        enabled = args[0] if args else enabled
    else:
        device = args[0] if args else call.keywords.get("device_type")
        if isinstance(device, Device):
            raise tensors.refusal("autocast_device", Autocast(None))
        enabled = args[2] if len(args) > 2 else enabled
        if tensors.device_of(device) != "cuda":
            return Autocast(None)
    return Autocast(None if call.is_open else call.follower.truth(enabled))


# Gradients


@transfer("torch.no_grad", "torch.inference_mode", "torch.enable_grad")
def _switched(call: OutsideCall) -> Value:
    return GradMode(call.name == "torch.enable_grad")


@method(Cell, "backward")
def _backward(
    call: OutsideCall,
    owner: Cell,
    gradient: Value = None,
    retain_graph: Value = None,
    create_graph: Value = False,
) -> Value:
    """Free what is kept for it, where that is certainly done."""
    follower = call.follower
    freed = next((one.freed for one in owner.graph if one.freed), None)
    if freed is not None:
        raise tensors.refusal("second_backward", None, further=[freed])
    retains = create_graph if retain_graph is None else retain_graph
    if follower.truth(retains) is False and not (call.is_open or follower.may_be_undone):
        for one in owner.graph:
            one.freed = call.line
    return None


@method(Row, "to")
def _moved_row(call: OutsideCall, owner: Row, *args: Value) -> Value:
    """A batch of a tokenizer moves its tensors."""
    _, device = tensors.conversion("to", args, call.keywords)
    for one in owner.values():
        if is_tensor(one) and device is not None:
            one.device = "" if call.follower.may_be_undone else device
    return owner
