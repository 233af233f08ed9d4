# ruff: noqa: E501  a piece of a program is clearest on one line
"""Small programs for the test of the interpreter, by what they are made of."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.reviewers.facts.program_writer import INT, STR, WORDS, Writer


@dataclass(frozen=True, slots=True)
class Snippet:
    """One program; its function is called by `s` and its number."""

    family: str
    text: str


_PLAIN = {"assign": 5, "show": 3}
_MIXED = {
    "assign": 5, "show": 2, "change": 4, "alias": 1, "unpack": 1, "if": 3, "for": 2, "while": 1,
    "match": 1, "try": 2, "with": 1, "fail": 1, "call": 2, "define": 1,
}  # fmt: skip


def _finish(writer: Writer) -> str:
    for name in writer.names:
        writer.show(name)
    return "\n".join([*writer.above, "def {}(cfg):", *(writer.lines or ["    pass"]), ""])


def _of(
    kinds: Mapping[str, int], least: int = 2, most: int = 5, depth: int = 2
) -> Callable[[Random], str]:
    def write(random: Random) -> str:
        writer = Writer(random)
        writer.body(random.randint(least, most), depth, kinds)
        return _finish(writer)

    return write


def _classes(random: Random) -> str:
    w = Writer(random)
    v = w.value
    base, child = "{}_Base", "{}_Child"
    w.above += [f"class {base}:"]
    if w.chance(0.6):
        w.above += [f"    size = {w.literal(INT)}", f"    names = {w.literal(WORDS)}"]
    else:
        w.above += ["    size = 1", "    names = []"]
    w.above += [
        f"    def __init__(self, a, b={w.literal(INT)}):",
        f"        self.a = {w.one('a', 'a + 1', 'a * 2', '[a, b]')}",
        f"        self.b = {w.one('b', '{}', '[]', 'self.a')}",
        "        self.size = 5" if w.chance(0.3) else "        pass",
        f"    def get(self, more={w.literal(INT)}):",
        f"        return {w.one('self.a', 'more', '(self.a, more)', 'self.size', 'self.kind()', 'type(self).size')}",
        "    def put(self, value):",
        f"        self.a = {w.one('value', '[self.a, value]', 'value if value else self.a')}",
        f"        {w.one('return self', 'return None', 'self.c = value', 'pass')}",
        "    def kind(self):",
        f"        return {v(STR, 1)}",
        "    @property",
        "    def both(self):",
        "        return [self.a, self.b]",
        "    @classmethod",
        "    def make(cls, a):",
        f"        return cls(a, {w.literal(INT)})",
        "    @staticmethod",
        "    def twice(x):",
        "        return x * 2",
        "    def __call__(self, x):",
        f"        return {w.one('x', '(x, self.a)', 'self.get(x)')}",
    ]
    if w.chance(0.25):
        w.above += ["    def __len__(self):", f"        return {w.one('0', '2')}"]
    if w.chance(0.2):
        w.above += ["    def __eq__(self, other):", "        return True"]
    if w.chance(0.2):
        w.above += ["    def __getattr__(self, name):", "        return name"]
    if w.chance(0.15):
        w.above += ["    def __getitem__(self, key):", "        return key"]
    w.above += ["", f"class {child}({base}):"]
    if w.chance(0.5):
        w.above += [
            "    def __init__(self, a, c=2, **more):",
            f"        super().__init__({w.one('a', 'a, c', 'a, b=c', 'c, **more')})",
            f"        self.c = {w.one('c', 'self.a', 'more')}",
        ]
    if w.chance(0.4):
        w.above += [f"    size = {w.literal(INT)}"]
    if w.chance(0.5):
        w.above += [
            "    def kind(self):",
            f"        return {w.one(repr('child'), 'super().kind() + repr(1)', 'super().kind()')}",
        ]
    w.above += [
        "    def own(self):",
        f"        return {w.one('self.get()', 'self.a', 'super().get(3)', 'self.size')}",
        "",
    ]
    if w.chance(0.4):
        w.above += [
            "@dataclass",
            "class {}_Data:",
            "    x: int",
            f"    y: int = {w.literal(INT)}",
            "    def total(self):",
            "        return self.x + self.y",
            "",
        ]
        w.line(
            "d = {}_Data(" + w.one("1", "1, 2", "x=3", "y=1, x=2", "*[1, 2]", "**{'x': 4}") + ")"
        )
        for part in ("d.x", "d.y", "d.total()"):
            w.show(part)
    cls = w.one(base, child)
    made = w.one(
        f"{cls}({v(INT, 1)})",
        f"{cls}.make({v(INT, 1)})",
        f"{cls}(a={v(INT, 1)})",
        f"{cls}({v(STR, 1)})",
    )
    w.line(f"o = {made}")
    for _ in range(random.randint(3, 7)):
        part = w.one(
            "o.a", "o.b", "o.size", "o.names", "o.get()", "o.get(4)", "o.kind()", "o.both", "o(3)", "o.twice(2)",
            f"{cls}.size", f"{cls}.twice(3)", f"isinstance(o, {base})", f"isinstance(o, {child})", "bool(o)",
            "o == o", "o == 3", "getattr(o, 'a')", "getattr(o, 'zz', 7)", "hasattr(o, 'c')", "type(o).__name__",
            "vars(o)", "o.own()" if cls == child else "o.kind()", "o is None", "o.get", "not o", "(o or 3)", "o.__class__.__name__",
        )  # fmt: skip
        if w.chance(0.35):
            change = w.one(
                f"o.put({v(INT, 1)})", f"o.a = {w.some(1)}", f"{cls}.size = {v(INT, 1)}", "o.names.append('n')", "o.extra = 1",
                "o.a += 1", "p = o.put(3)", "setattr(o, 'a', 8)", "del o.b", f"o.size = {v(INT, 1)}", "q = copy.copy(o)",
                "o.names = []", f"{base}.names = ['z']", f"if world.bool(): o.a = {v(INT, 1)}",
                f"for i in range(3): o.put({w.one('i', '1')})", "try: o.put(world.fails(ValueError))\n    except ValueError: pass",
                f"o = {cls}(1) if world.bool() else None", "while world.bool(): o.put(9)",
            )  # fmt: skip
            w.line(change)
        w.show(part)
    return _finish(w)


def _configs(random: Random) -> str:
    w = Writer(random)
    reads = (
        "cfg.name", "cfg.seed", "cfg.rate", "cfg.debug", "cfg.nothing", "cfg.run", "cfg.run.name", "cfg.run.steps",
        "cfg.run.model.layers", "cfg['run']['model']['kind']", "cfg.run.model.size", "cfg.link", "cfg.tags", "cfg.tags[0]",
        "cfg.tags[-1]", "cfg.run.steps[1]", "cfg.get('seed')", "cfg.get('absent')", "cfg.get('absent', 4)", "cfg.run.get('name', 'x')",
        "cfg.get('nothing', 3)", "cfg.get('nothing')", "cfg.nothing or 5", "cfg.run.get('steps', [])",
        "OmegaConf.select(cfg, 'run.model.layers')", "OmegaConf.select(cfg, 'run.absent')", "OmegaConf.select(cfg, 'run.absent', default=2)",
        "OmegaConf.select(cfg, 'nothing', default=2)", "OmegaConf.select(cfg, 'tags[1]')", "OmegaConf.select(cfg, 'tags.5')",
        "OmegaConf.to_container(cfg)", "OmegaConf.to_container(cfg.run, resolve=True)", "OmegaConf.to_container(cfg.tags)",
        "OmegaConf.to_container(cfg, resolve=True)['link']", "OmegaConf.create({'a': cfg.seed})", "OmegaConf.create([1, cfg.name])",
        "OmegaConf.create()", "OmegaConf.create('a: 1')", "OmegaConf.create({'a': 1}).a", "OmegaConf.merge(OmegaConf.create({'seed': 1}), {'b': 2})",
        "OmegaConf.merge(cfg.run, {'name': 'm'}).name", "OmegaConf.merge({'a': [1]}, {'a': [2]})", "OmegaConf.merge(cfg, cfg).seed",
        "'seed' in cfg", "'absent' in cfg", "'a' in cfg.tags", "'name' in cfg.run", "'nothing' in cfg", "len(cfg.tags)", "len(cfg.run)", "list(cfg.tags)", "list(cfg)",
        "list(cfg.run.keys())", "[k for k in cfg.run]", "{k: v for k, v in cfg.run.model.items()}", "list(cfg.run.model.values())",
        "dict(cfg.run)", "dict(cfg.run.model)", "{**cfg.run.model}", "cfg.seed + 1", "cfg.rate * 2", "cfg.name + '-x'", "f'{cfg.name}-{cfg.seed}'",
        "f'{cfg.run.steps}'", "str(cfg.seed)", "str(cfg.run.model)", "int(cfg.words)", "cfg.words + 'x'", "isinstance(cfg.run, DictConfig)", "isinstance(cfg.run, dict)",
        "isinstance(cfg.tags, list)", "isinstance(cfg.tags, ListConfig)", "isinstance(cfg.tags, (list, ListConfig))", "OmegaConf.is_config(cfg.run)", "OmegaConf.is_dict(cfg.run)", "OmegaConf.is_list(cfg.tags)",
        "hasattr(cfg, 'seed')", "hasattr(cfg, 'absent')", "hasattr(cfg, 'nothing')", "getattr(cfg, 'absent', 3)", "getattr(cfg, 'seed')", "getattr(cfg, 'nothing', 3)", "cfg.run == cfg.run", "cfg.tags == ['a', 'bb', 'ccc']",
        "cfg.tags + ['d']", "cfg.tags[:2]", "bool(cfg.run)", "cfg.seed if cfg.debug else cfg.rate", "cfg.seed > 2", "cfg.seed == 3 and cfg.name == 'base'",
        "[t.upper() for t in cfg.tags]", "max(cfg.run.steps)", "sum(cfg.run.steps)", "sorted(cfg.tags)", "copy.deepcopy(cfg.run).name", "OmegaConf.is_missing(cfg, 'seed')",
        "OmegaConf.to_yaml(cfg.run.model)", "json.loads(json.dumps({'a': cfg.seed}))", "yaml.safe_load('a: 1e-3')", "json.loads('[1, 2]')", "ast.literal_eval('[1, 2]')", "cfg.run.steps * 2", "tuple(cfg.tags)",
        "OmegaConf.from_dotlist(['a.b=1'])", "OmegaConf.from_cli(['a.b=1', 'c=[x, y]']).c", "OmegaConf.to_container(OmegaConf.from_dotlist(['a=x', 'b=2']))", "cfg.run.model.get('layers', 1) * 2", "cfg.run.model.pop('absent', 1)", "cfg.tags.index('a')",
        "'run.name' in cfg", "cfg.get('run').get('name')", "cfg.run.items()", "enumerate(cfg.tags)", "[i for i, t in enumerate(cfg.tags)]", "list(zip(cfg.tags, cfg.run.steps))", "OmegaConf.select(cfg, 'run').name", "cfg.copy().seed",
    )  # fmt: skip
    wrong = (
        "cfg.absent", "cfg.run.absent", "cfg['absent']", "cfg.name.absent", "cfg.seed.x", "cfg.tags[9]", "cfg.tags['x']", "cfg.nothing.x", "cfg.run.model.layers.x",
        "cfg.name['x']", "'{zz}'.format(a=list(cfg.run))", "cfg.absent.more", "int(cfg.name)", "cfg.words + 1", "getattr(cfg, 'absent')", "cfg.run['zz']", "OmegaConf.merge(cfg, {'zz': 1})", "cfg.seed + cfg.name", "cfg.seed[0]", "cfg.nothing[0]", "cfg.words < 3",
        "dict(cfg.run)['zz']", "OmegaConf.to_container(cfg)['zz']", "cfg.tags.x", "{'a': 1}[cfg.name]", "'x' in cfg.seed", "cfg.nothing + 1", "-cfg.name",
    )  # fmt: skip
    writes = (
        "cfg.seed = {}", "cfg.run.name = {}", "cfg['rate'] = {}", "cfg.run.model.layers += 1", "cfg.zz = {}", "cfg.run.zz = {}", "OmegaConf.update(cfg, 'seed', {})",
        "OmegaConf.update(cfg, 'run.zz', {}, force_add=True)", "OmegaConf.set_struct(cfg, False); cfg.zz = {}; subprocess.run((99, cfg.zz))", "with open_dict(cfg): cfg.zz = {}", "cfg.tags.append('d')", "cfg.tags[0] = {}",
        "cfg.run = OmegaConf.merge(cfg.run, {{'name': 'q'}})", "cfg = OmegaConf.merge(cfg, {{'seed': 11}})", "cfg.merge_with({{'seed': 12}})", "cfg.update({{'seed': 13}})", "cfg.run.update(name='u')", "setattr(cfg, 'seed', {})",
        "cfg = copy.deepcopy(cfg)", "d = OmegaConf.to_container(cfg.run); d['name'] = 'changed'", "sub = cfg.run; sub.name = {}", "if world.bool(): cfg.seed = {}", "for i in range(3): cfg.seed = i", "cfg.run.steps.append(4)",
        "OmegaConf.set_struct(cfg, False); cfg.pop('seed')", "OmegaConf.set_struct(cfg, False); del cfg.seed", "cfg.run.setdefault('name', 'x')", "cfg.seed, cfg.rate = 1, 2", "cfg.run.model = {{'layers': 1}}", "cfg.tags = ['q', cfg.name]",
        "while world.bool(): cfg.seed = {}", "cfg.pop('seed')", "OmegaConf.set_readonly(cfg, True)", "OmegaConf.resolve(cfg)",
    )  # fmt: skip
    for _ in range(random.randint(2, 6)):
        n = random.random()
        if n < 0.5:
            w.show(w.one(*reads))
        elif n < 0.57:
            value = w.one(*wrong)
            if w.chance(0.3):
                w.line("try:")
                w.line(f"    x = {value}")
                w.line(f"except {w.one('Exception', 'KeyError', 'AttributeError', 'TypeError')}:")
                w.line("    x = 0")
                w.show("x")
            else:
                w.show(value)
        elif n < 0.8:
            w.line(w.one(*writes).format(w.some(1)))
        elif n < 0.9:
            name = w.new()
            w.line(f"{name} = {w.one(*reads)}")
            w.show(f"[{name}]")
        else:
            w.line(f"if {w.one(*reads)}:")
            w.line(f"    x = {w.one(*reads)}")
            w.line("else:")
            w.line(f"    x = {w.one(*reads)}")
            w.show("x")
    return _finish(w)


def _paths(random: Random) -> str:
    w = Writer(random)

    def path(d: int) -> str:
        if d <= 0:
            return w.one(
                "Path('a')",
                "Path('a/b.txt')",
                "Path()",
                "Path('.')",
                "Path(__file__)",
                "Path('/x/y')",
                "Path('a') / 'b'",
                "Path('a', 'b', 'c.tar.gz')",
                "Path('../up')",
                "Path('config')",
                "Path('.hidden')",
                "Path('a//b/./c')",
                "Path('a/..')",
            )
        p = path(d - 1)
        return w.one(
            f"({p} / {w.one(repr('c'), repr('d.yaml'), repr('../e'), repr('/abs'), repr('x/y'), repr(''), repr('.'), repr('..'), 'cfg.name')})",
            f"{p}.parent", f"{p}.parents[0]", f"{p}.with_suffix({w.one(repr('.json'), repr(''))})", f"{p}.with_name('n')", f"{p}.joinpath('j', 'k')",
            f"{p}.parent.parent", f"Path({p})", f"Path(str({p}))", f"({p} / {path(0)})", f"({p} / f'{{cfg.name}}-{{cfg.seed}}')", f"({p} / world.str())", f"({p} / f'run-{{world.int()}}')",
        )  # fmt: skip

    for _ in range(random.randint(2, 5)):
        p = path(random.randint(0, 2))
        w.show(w.one(
            p, f"str({p})", f"f'{{{p}}}/x'", f"f'x-{{{p}}}'", f"{p}.name", f"{p}.stem", f"{p}.suffix", f"{p}.parts", f"os.path.join({p}, 'q')", f"os.path.join('a', {w.one(repr('b'), repr('/c'), 'cfg.name', 'world.str()')}, 'z')",
            f"os.path.dirname({p})", f"os.path.basename({p})", "os.path.join('a/', 'b')", "os.path.dirname('a/b/c')", "os.path.join('', 'b')", "os.path.dirname('a')", "os.path.normpath('a/../b')", "os.path.splitext('a.b')[0]",
            f"{p}.exists()", f"{p}.is_file()", f"os.path.exists({p})", f"({p} == {path(0)})", f"{p}.is_absolute()", f"[{p}]", f"['python', str({p})]", "'/'.join(['a', 'b'])", f"{p}.as_posix()", f"bool({p})", f"str({p}) + '.x'", f"({p} in [{path(0)}])", f"not {p}",
            "os.path.join('a', '..', 'b')", f"str({p} / 'x').endswith('x')", "'a' + os.sep + 'b'", f"len(str({p}))", "os.path.join(cfg.name, 'x')", "Path(f'{cfg.name}/x').name", "Path(cfg.name).with_suffix('.pt').name", f"isinstance({p}, Path)", f"isinstance({p}, str)", f"str({p}).split('/')", f"{p} or 'x'",
            "os.path.dirname(os.path.abspath(__file__)) == 'x'", f"repr({p})", f"{p}.is_dir()", "Path('a.b.c').stem", "Path('a.b.c').with_suffix('.d')", "os.path.join(os.getcwd(), 'a')[:1]", "str(Path('a/')) == 'a'", "Path('a') == Path('./a')", "'a/' + 'b'", "f'a//b'",
        ))  # fmt: skip
    if w.chance(0.4):
        w.line("out = Path('made') / cfg.name")
        w.line("out.mkdir(parents=True, exist_ok=True)")
        w.line("file = out / 'x.json'")
        w.line(
            w.one(
                "file.write_text('{\"a\": 1}')",
                "with open(file, 'w') as f: json.dump({'a': cfg.seed}, f)",
                "with file.open('w') as f: f.write('a: 2')",
                "OmegaConf.save(cfg.run.model, file)",
                "if world.bool(): file.write_text('{}')",
                "open(file, 'a').close()",
            )
        )
        w.show(
            w.one(
                "file.exists()",
                "file.read_text()",
                "json.loads(file.read_text())",
                "yaml.safe_load(open(file))",
                "open(file).read()",
                "OmegaConf.load(file)",
                "file.is_file()",
            )
        )
        if w.chance(0.5):
            w.line(
                w.one(
                    "file.unlink()",
                    "os.remove(file)",
                    "import shutil; shutil.rmtree(out)",
                    "file.write_text('[3]')",
                    "file.rename(out / 'y.json')",
                    "with open(file, 'a') as f: f.write(' ')",
                )
            )
            w.show(
                w.one(
                    "file.exists()",
                    "os.path.exists(file)",
                    "json.loads(file.read_text())",
                    "open(file).read()",
                    "(out / 'y.json').exists()",
                )
            )
    return _finish(w)


def _environment(random: Random) -> str:
    w = Writer(random)
    name = w.one("'AREACHAIR_A'", "'AREACHAIR_B'", "cfg.name")
    for _ in range(random.randint(2, 5)):
        value = w.one("'1'", "'x'", "cfg.name", "str(cfg.seed)", "world.str()", "cfg.seed", "None")
        w.line(
            w.one(
                f"os.environ[{name}] = {value}",
                f"os.environ.setdefault({name}, {value})",
                f"if world.bool(): os.environ[{name}] = {value}",
                f"os.environ.update({{{name}: {value}}})",
                f"os.environ.pop({name}, None)",
                f"env = {{**os.environ, {name}: {value}}}",
                f"env = dict(os.environ, AREACHAIR_A={value})",
                "env = os.environ.copy()",
            )
        )
        w.show(
            w.one(
                f"os.environ[{name}]",
                f"os.environ.get({name}, 'no')",
                f"os.getenv({name})",
                f"os.getenv({name}, {value})",
                f"{name} in os.environ",
                f"int(os.environ[{name}])",
                f"os.environ | {{{name}: {value}}}",
            )
        )
        if any(line.strip().startswith("env") for line in w.lines):
            w.show(f"env.get({name}, 1)")
    return _finish(w)


def _arguments(random: Random) -> str:
    w = Writer(random)
    w.line(f"p = argparse.ArgumentParser({w.one('', 'prog=str(1)', 'add_help=False')})")
    words: list[str] = []
    shown: list[str] = []
    for index in range(random.randint(1, 5)):
        n = random.randrange(9)
        long = f"--opt-{index}" if w.chance(0.5) else f"--o{index}"
        dest = long[2:].replace("-", "_")
        if n == 0:
            w.line(f"p.add_argument('pos{index}')")
            words += [w.one("'x'", "str(cfg.seed)", "cfg.name", "'7'")]
            dest = f"pos{index}"
        elif n == 1:
            w.line(
                f"p.add_argument('{long}', action='{w.one('store_true', 'store_false', 'count')}')"
            )
            words += [f"'{long}'"] * w.chance(0.5)
        elif n == 2:
            w.line(
                f"p.add_argument('{long}', type={w.one('int', 'float', 'str', 'Path', 'lambda s: s.upper()', 'bool')}, default={w.one('3', 'None', repr('4'), '0.5')})"
            )
            if w.chance(0.6):
                words += [
                    f"'{long}'",
                    w.one("'5'", "str(cfg.seed)", "'5'", "'x'" if w.chance(0.2) else "'6'"),
                ]
        elif n == 3:
            w.line(f"p.add_argument('{long}', '-{'abcdef'[index]}', default={w.literal(STR)})")
            if w.chance(0.6):
                words += [
                    w.one(f"'{long}=v'", f"'-{'abcdef'[index]}', 'w'", f"'-{'abcdef'[index]}w'")
                ]
        elif n == 4:
            w.line(
                f"p.add_argument('{long}', nargs='{w.one('*', '+', '?')}', type=int{w.one('', ', default=[1]', ', default=None')})"
            )
            if w.chance(0.6):
                words += [f"'{long}'", "'1'", "'2'"][: random.randint(2, 3)]
        elif n == 5:
            w.line(
                f"p.add_argument('{long}', choices=['a', 'b'], default='{w.one('a', 'b', 'z')}')"
            )
            if w.chance(0.6):
                words += [f"'{long}'", w.one("'a'", "'b'", "'c'" if w.chance(0.3) else "'a'")]
        elif n == 6:
            w.line(f"p.add_argument('{long}', dest='d{index}', required={w.one('True', 'False')})")
            dest = f"d{index}"
            if w.chance(0.85):
                words += [f"'{long}'", "'q'"]
        elif n == 7:
            w.line(f"p.add_argument('{long}', action='append')")
            words += [f"'{long}', 'm'", f"'{long}=n'"][: random.randint(0, 2)]
        else:
            w.line(
                f"p.add_argument('{long}', action=argparse.BooleanOptionalAction, default={w.one('True', 'False', 'None')})"
            )
            words += [w.one(f"'{long}'", f"'--no-{long[2:]}'")] * w.chance(0.5)
        shown.append(dest)
    if w.chance(0.2):
        w.line(f"p.set_defaults({shown[0]}=8, more=9)")
        shown.append("more")
    if w.chance(0.1):
        words.append(w.one("'--unknown'", "'stray'", "world.str()"))
    if w.chance(0.25):
        w.line(f"a, rest = p.parse_known_args([{', '.join(words)}])")
        w.show("rest")
    else:
        w.line(f"a = p.parse_args([{', '.join(words)}])")
    for dest in shown:
        w.show(f"a.{dest}")
    w.show(
        w.one(
            "vars(a)",
            f"getattr(a, '{shown[0]}', 1)",
            "getattr(a, 'zz', 1)",
            f"hasattr(a, '{shown[0]}')",
            "hasattr(a, 'zz')",
            "'zz' in a",
            f"vars(a).get('{shown[0]}')",
            f"['python', '-m', 'x', str(a.{shown[0]})]",
            f"f'--x={{a.{shown[0]}}}'",
        )
    )
    if w.chance(0.3):
        w.line(
            w.one(
                f"a.{shown[0]} = 5",
                f"if world.bool(): a.{shown[0]} = 5",
                f"a.{shown[0]} = a.{shown[0]} or 4",
            )
        )
        w.show(f"a.{shown[0]}")
    return _finish(w)


def _data(random: Random) -> str:
    """Rows of a data set; the real run has a small stand-in for the library, see `small_datasets`."""
    w = Writer(random)
    w.line("rows = load_dataset('imdb', split='train')")
    columns = ["text", "label"]
    for _ in range(random.randint(2, 6)):
        column = w.one(*columns, *columns, "absent") if columns else "absent"
        n = random.randrange(12)
        if n == 0:
            w.line(f"rows = rows.rename_column('{column}', 'c{w.made}')")
            columns = [f"c{w.made}" if one == column else one for one in columns]
            w.made += 1
        elif n == 1:
            w.line(f"rows = rows.remove_columns({w.one(repr(column), repr([column]))})")
            columns = [one for one in columns if one != column]
        elif n == 2:
            w.line(
                f"rows = rows.{w.one('select([0, 1])', 'shuffle(seed=1)', 'filter(lambda row: True)')}"
            )
        elif n in (3, 4):
            w.made += 1
            name = f"m{w.made}"
            value = w.one(
                "len(row['{}'])",
                "[1, 2] + [0] * 3",
                "row['{}']",
                "'t' + row['{}']",
                "7",
                "[0] * 4",
                "row['{}'].split()",
                "list(range(3))",
            ).format(column)
            if w.chance(0.5):
                w.line(f"rows = rows.map(lambda row: {{'{name}': {value}}})")
            else:
                w.line(f"def {name}_of(row):")
                w.line(f"    row['{name}'] = {value}")
                w.line(
                    f"    {w.one('return row', 'return dict(row)', 'return {**row}', 'return {' + repr(name) + ': row[' + repr(name) + ']}')}"
                )
                w.line(
                    f"rows = rows.map({name}_of{w.one('', '', ', remove_columns=rows.column_names', ', remove_columns=[' + repr(column) + ']')})"
                )
            columns.append(name)
        elif n == 5:
            w.show(
                w.one(
                    "rows.column_names",
                    f"'{column}' in rows.column_names",
                    "sorted(rows.column_names)",
                    "[c for c in rows.column_names if c != 'text']",
                )
            )
        elif n == 6:
            w.line("for row in rows:")
            w.line(
                f"    subprocess.run(({80 + w.made}, {w.one('row', 'row[' + repr(column) + ']', repr(column) + ' in row', 'row.get(' + repr(column) + ')', 'list(row)')}))"
            )
        elif n == 7:
            w.line(f"kept = [row['{column}'] for row in rows]")
            w.show("kept")
        elif n == 8:
            w.show(
                w.one(
                    "rows[0]",
                    f"rows[0]['{column}']",
                    f"rows['{column}']",
                    f"len(rows['{column}'])",
                    f"rows['{column}'][0]",
                )
            )
        elif n == 9:
            w.line(f"rows = rows.select_columns({w.one(repr([column]), repr(columns[:2]))})")
            columns = [column]
        elif n == 10:
            w.line("parts = rows.train_test_split(test_size=0.5)")
            w.line(f"rows = parts['{w.one('train', 'test')}']")
        else:
            w.line("total = []")
            w.line("for row in rows:")
            w.line(f"    total.append({w.one('row', 'row[' + repr(column) + ']', '1')})")
            w.show("total")
    w.show(w.one("rows[0]", "rows.column_names"))
    return _finish(w)


FAMILIES: Mapping[str, Callable[[Random], str]] = {
    "expressions": _of(_PLAIN, 3, 6),
    "containers": _of({"assign": 3, "show": 2, "change": 6, "alias": 2, "unpack": 2}, 4, 8),
    "branches": _of({"assign": 4, "show": 1, "if": 5, "match": 3, "change": 3}, 3, 5),
    "loops": _of({"assign": 4, "show": 1, "for": 4, "while": 3, "if": 2, "change": 4}, 3, 5),
    "errors": _of(
        {"assign": 3, "show": 1, "try": 5, "with": 3, "fail": 2, "change": 2, "if": 1}, 3, 5
    ),
    "functions": _of({"assign": 3, "show": 1, "define": 2, "call": 6, "if": 2, "change": 2}, 3, 6),
    "classes": _classes,
    "configurations": _configs,
    "paths": _paths,
    "environment": _environment,
    "arguments": _arguments,
    "data": _data,
    "everything": _of(_MIXED, 4, 8),
}


def snippet(seed: int, number: int) -> Snippet:
    """The program with a number; the same for the same seed."""
    family = list(FAMILIES)[number % len(FAMILIES)]
    for attempt in range(100):
        text = FAMILIES[family](Random(f"{seed}/{number}/{attempt}"))
        text = text.replace("{}_", f"s{number}_").replace("def {}(", f"def s{number}(")
        try:
            with warnings.catch_warnings(action="ignore"):
                compile(text, "<program>", "exec", dont_inherit=True)
        except SyntaxError:  # quotation marks in a template, a name that is nonlocal too late
            continue
        return Snippet(family, text)
    raise AssertionError("no program can be read")
