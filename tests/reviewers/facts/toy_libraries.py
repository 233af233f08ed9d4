"""Two small libraries, one of them in two versions, with every trap that real ones set for static
reading.
"""

BASE = {
    "base/__init__.py": "from base.nn import Layer\n",
    "base/nn.py": (
        """
        class Layer:
            def __init__(self, size, bias=True): self.size = size
            def forward(self, x): return x
            def parameters(self): ...
        class Registry(type):
            def __getattr__(cls, name): return cls.table[name]
        class Plain(type):
            @property
            def kind(cls): ...
    """
    ),
    "base/registered.py": (
        "from base.registry import register\n__all__ = []\n@register\ndef bear(): ...\n"
    ),
    "base/registry.py": (
        "import sys\ndef register(f):\n    sys.modules[f.__module__].__all__.append(f.__name__)\n  "
        "  return f\n"
    ),
    "base/registered_star.py": "from base.registered import *\n",
}

OLD = {
    "toys/__init__.py": (
        """
        from toys.parts import Wheel, spin as turn
        from toys.lists import *
        from toys.legacy import load_metric
        __all__ = ["Wheel", "turn", "planned"]
        def paint(colour, *, coats=1): ...
    """
    ),
    "toys/legacy.py": "def load_metric(name): ...\n",
    "toys/lists.py": (
        """
        import json
        __all__ = ["sort_toys"]
        def sort_toys(toys, key=None): ...
        def count_toys(toys): ...
    """
    ),
    "toys/parts.py": (
        """
        from __future__ import annotations
        import functools
        from base import Layer
        class Wheel(Layer):
            spokes = 3
            def __init__(self, size: int, /, tyre="rubber", **options):
                super().__init__(size)
                self.tyre = tyre
                self.hub: Layer = options["hub"]
            @property
            def grip(self) -> float: ...
            @classmethod
            def round(cls, size) -> Wheel: ...
            @staticmethod
            def measure(a, b=2): ...
            @functools.lru_cache
            def cost(self, currency): ...
        def spin(wheel, speed=1, *more, brake=False, **rest) -> Wheel: ...
    """
    ),
}

NEW = {
    **OLD,
    "toys/__init__.py": (
        """
        from toys.parts import Wheel, spin as turn
        from toys.lists import *
        __all__ = ["Wheel", "turn", "planned"]
        def paint(colour, *, coats=1, gloss=False): ...
        def build_kit(name): ...
    """
    ),
    "toys/legacy.py": "",
    "toys/lazy.py": (
        """
        import sys
        from typing import TYPE_CHECKING
        from toys.utils import _LazyModule
        _import_structure = {"hidden": ["Kite"]}
        _import_structure["parts"] = ["Wheel"]
        _import_structure["parts"].append("spin")
        if TYPE_CHECKING:
            from toys.hidden import Kite
            from toys.hidden import Balloon
        else:
            sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure, module_spec=__spec__)
    """  # noqa: E501
    ),
    "toys/utils.py": "class _LazyModule: ...\n",
    "toys/hidden.py": "class Kite:\n    def __init__(self, tail): ...\nclass Balloon: ...\n",
    "toys/attached.py": (
        """
        import lazy_loader as lazy
        __getattr__, __dir__, __all__ = lazy.attach(__name__, submodules=["sub"], submod_attrs={"sub": ["drum"]})
    """  # noqa: E501
    ),
    "toys/tables.py": (
        """
        import importlib
        _moved = {"marble": "toys.parts", "bead": "toys.parts"}
        def __getattr__(name):
            if name in _moved:
                return getattr(importlib.import_module(_moved[name]), name)
            if name == "Ball":
                from toys.hidden import Balloon
                return Balloon
            raise AttributeError(name)
    """
    ),
    "toys/box/__init__.py": (
        """
        import importlib
        def __getattr__(name):
            if name == "Lid":
                return importlib.import_module("toys.parts").Wheel
            try:
                return importlib.import_module(f".{name}", __name__)
            except ImportError:
                raise AttributeError(name)
    """
    ),
    "toys/box/corner.py": "",
    "toys/finder.py": (
        """
        import importlib
        def __getattr__(name): return importlib.import_module(f"elsewhere.{name}")
    """
    ),
    "toys/lazily.py": (
        """
        import sys
        from types import ModuleType
        class Lazy(ModuleType):
            def __init__(self, name, table):
                self.__all__ = []
                self.__all__.extend(table)
    """
    ),
    "toys/anything.py": "def __getattr__(name): return name.upper()\n",
    "toys/updated.py": "globals().update(make_names())\n",
    "toys/spelled.py": "for _name in ('drum', 'flute'):\n    globals()[_name] = object()\n",
    "toys/patched.py": "import sys\nsetattr(sys.modules[__name__], compute(), 1)\n",
    "toys/starred.py": "from toys.updated import *\ndef own(): ...\n",
    "toys/cycle_a.py": "from toys.cycle_b import *\nfrom_a = 1\n",
    "toys/cycle_b.py": "from toys.cycle_a import *\nfrom_b = 1\n",
    "toys/set_within.py": (
        "def fill():\n    from toys import kinds\n    setattr(kinds, compute(), 1)\nfill()\n"
    ),
    "toys/kinds.py": "",
    "toys/broken.py": "def f(:\n",
    "toys/itself.py": "import toys.itself\nif (found := 1):\n    toys.itself.added = found\n",
    "toys/speedups.cpython-311-x86_64-linux-gnu.so": "",
    "toys/stubbed.cpython-311-x86_64-linux-gnu.so": "",
    "toys/stubbed.pyi": "def quick(n: int, times: int = ...) -> int: ...\ndef rough(n): ...\n",
    "toys/from_compiled.py": "from toys.speedups import fast\n",
    "toys/conditional.py": (
        """
        try:
            from nowhere import Thing
        except ImportError:
            Thing = None
        if True:
            def either(a): ...
        else:
            def either(b, c): ...
        def lazy_section(x): ...
        later = wrap(later)
    """
    ),
    "toys/decorated.py": (
        """
        import functools
        def logged(function):
            @functools.wraps(function)
            def inner(*args, **kwargs):
                print(function)
                return function(*args, **kwargs)
            return inner
        def since(version):
            def mark(function):
                function._version = version
                return function
            return mark
        def renamed(function):
            def inner(*args, **kwargs):
                kwargs["new"] = kwargs.pop("old", None)
                return function(*args, **kwargs)
            return inner
        @logged
        @since("1.0")
        def kept(a, b): ...
        @renamed
        def changed(new): ...
        @elsewhere.unknown
        def odd(a): ...
        def patched_class(cls):
            cls.__init__ = lambda self, *args: None
            return cls
        @patched_class
        class Rebuilt:
            def __init__(self, a): ...
    """
    ),
    "toys/classes.py": (
        """
        from collections import namedtuple
        from dataclasses import dataclass, field
        from typing import NamedTuple
        import base
        from base.nn import Registry, Plain
        @dataclass
        class Config:
            name: str
            size: int = 1
            tags: list = field(default_factory=list)
            hidden: int = field(default=0, init=False)
        @dataclass
        class Bigger(Config):
            size: int = 5
            extra: str = ""
        class Pair(NamedTuple):
            left: int
            right: int = 0
        Point = namedtuple("Point", ["x", "y"])
        @dataclass
        class Overridden(Config):
            name: str = field(init=False, default="")
        class WithKind(metaclass=Plain): ...
        class Sub(Point):
            def norm(self): ...
        class Delegate:
            def __init__(self, inner): self.inner = inner
            def __getattr__(self, name): return getattr(self.inner, name)
        class Restored:
            def __init__(self): self.kept = 1
            def __setstate__(self, state): self.__dict__.update(state)
        class Settable:
            def __init__(self, **options):
                for key, value in options.items():
                    setattr(self, key, value)
        class Listed:
            __slots__ = ("first", "second")
        class FromUnknown(nowhere.Base):
            def own(self): ...
        class Meta(metaclass=Registry): ...
        class Harmless(metaclass=Plain):
            def __init__(self, a): ...
        class Dictlike(dict):
            def pick(self): ...
        class Net(base.Layer): ...
        class Fresh:
            def __new__(cls, a): return object.__new__(cls)
            def __init__(self, a, b): ...
        Fresh.later = 1
        def prepare(wheel_model, delegate, listed):
            wheel_model.device_map = {}
            listed.coloured = True
        class ToyModel(base.Layer): ...
        for _name in compute():
            setattr(Listed, _name, 1)
    """
    ),
}
