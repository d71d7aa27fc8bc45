"""Changes small valid files at random, by bytes and by structure; each case has a number."""

import gzip
import io
import json
import re
import zlib
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from tests.alterations import at_path, places
from tests.certificate_records import sealed

NUMBERS = (0, 1, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63)
TOKENS = [
    *(b"\0", b"\x1b[2J", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b",", b";", b"|", b'"', b'""'),
    *(b"'", b"\\", b"/*", b"#", b"//", b"[[", b"]]", b"{", b"}", b"[", b"]", b"(", b"=", b":"),
    *(
        b"->",
        b"--",
        b"<-",
        b" - ",
        b"<->",
        b"o-o",
        b"a -> a",
        b"digraph",
        b"strict",
        b"subgraph",
    ),
    *(
        b"nan",
        b"NaN",
        b"inf",
        b"-Infinity",
        b"null",
        b"true",
        b"None",
        b"NA",
        b"1e999",
        b"1e-300",
    ),
    *(
        b"-1",
        b"-0",
        b"0x10",
        b"1_000",
        b"1/0",
        b"1,5",
        b"9" * 40,
        b"0." + b"3" * 40,
        b"1979-05-27",
    ),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x85"),
    *("é ı İ ß \u2028 \u202e \u200b 👩‍👧 \ufeff".encode().split(b" ")),
    *(b"&#x1b;", b"&lt;", b"<!ENTITY a 'b'>", b"<script>", b"=1+1", b"../..", b"/dev/zero"),
]
SETTINGS = [
    *(b"true", b"0", b"-1", b"0.05", b"9" * 40, b"1e999", b"nan", b"-inf", b"0xff"),
    *(b"1979-05-27", b"07:32:00", b"1979-05-27T07:32:00Z"),
    *(
        b'""',
        b'"x"',
        b'"sex"',
        b'"rest"',
        b'"1/0"',
        b'"1/20"',
        b'"nan"',
        b'"\\u0000"',
        b'"\\u001b[2J"',
    ),
    *(
        b"[]",
        b"[[]]",
        b"[1, 'a']",
        b'["sex", "sex"]',
        b'[["sex", "sex"]]',
        b'[["hired"], ["sex"]]',
    ),
    *(b"{}", b"{sex = 3}", b"{x = {x = []}}", b"{sex = {f = ['f', 'm']}}", b"[{x = 1}]"),
]
ODD_VALUES = [
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 10**40, 0.5, -0.0, 1e308, float("nan")),
    *("", "x", "\0", "\x1b[2J", "\ud800", "é", "1/0", "nan", "9" * 40, "1e999", "yes", "sex"),
    *([], {}, [[]], [None], ["x", "x"], {"": None}, {"x": {"x": []}}, [0] * 300),
]


def generator_of(kind, number):
    """The random choices of a case; they depend on nothing else."""
    return np.random.default_rng([zlib.crc32(kind.encode()), number])


def mutate(kind, number, corpus):
    """The content of a case: one file of the corpus, changed once or a few times."""
    generator = generator_of(kind, number)
    content = corpus[generator.integers(len(corpus))]
    structures = {
        "csv": _by_field,
        "toml": _by_setting,
        "packed": _by_unpacking,
        "excel": _by_member,
        **dict.fromkeys(("dot", "text-graph"), _by_word),
        **dict.fromkeys(("json-graph", "certificate", "manifest"), _by_json),
    }
    changes = [_by_bytes, *[structures.get(kind, _by_bytes)] * 3]
    for _ in range(2 ** generator.integers(3)):
        change = changes[generator.integers(len(changes))]
        content = change(content, generator, corpus)
    return content


def _by_bytes(content, generator, corpus):
    change = BY_BYTES[generator.integers(len(BY_BYTES))]
    return change(content, generator, corpus)


def _position(content, generator):
    """Anywhere; half of the time near an end, where formats keep what they are made of."""
    size = len(content)
    near = int(min(size, 600))
    where = generator.integers(4)
    if where == 0:
        return int(generator.integers(near + 1))
    return (
        size - int(generator.integers(near + 1))
        if where == 1
        else int(generator.integers(size + 1))
    )


def _range(content, generator):
    start = _position(content, generator)
    return start, start + int(generator.integers(1, 2 ** generator.integers(1, 8)))


def flip(content, generator, _):
    changed = bytearray(content or b"\0")
    for at in generator.integers(len(changed), size=generator.integers(1, 8)):
        changed[at] ^= 1 << generator.integers(8)
    return bytes(changed)


def insert(content, generator, _):
    at, token = _position(content, generator), TOKENS[generator.integers(len(TOKENS))]
    return content[:at] + token + content[at:]


def overwrite(content, generator, _):
    at, token = _position(content, generator), TOKENS[generator.integers(len(TOKENS))]
    return content[:at] + token + content[at + len(token) :]


def number(content, generator, _):
    """A binary number of any width, or one in the text."""
    value = NUMBERS[generator.integers(len(NUMBERS))]
    found = [*re.finditer(rb"\d+", content)]
    if found and generator.integers(2):
        match = found[generator.integers(len(found))]
        return content[: match.start()] + str(value).encode() + content[match.end() :]
    width, at = int(2 ** generator.integers(4)), _position(content, generator)
    raw = (value % 256**width).to_bytes(width, "little")
    return content[:at] + raw + content[at + width :]


def delete(content, generator, _):
    start, stop = _range(content, generator)
    return content[:start] + content[stop:]


def repeat(content, generator, _):
    start, stop = _range(content, generator)
    most = 60_000 // max(len(content[start:stop]), 1)
    times = int(min(most, 2 ** generator.integers(1, 17)))
    return content[:start] + content[start:stop] * times + content[stop:]


def truncate(content, generator, _):
    return content[: _position(content, generator)]


def splice(content, generator, corpus):
    other = corpus[generator.integers(len(corpus))]
    return content[: _position(content, generator)] + other[_position(other, generator) :]


def move(content, generator, _):
    start, stop = _range(content, generator)
    rest = content[:start] + content[stop:]
    at = _position(rest, generator)
    return rest[:at] + content[start:stop] + rest[at:]


BY_BYTES = (flip, insert, overwrite, number, delete, repeat, truncate, splice, move)


def _by_field(content, generator, corpus):
    """One field of a table, or a column of many, becomes something else."""
    lines = [line.split(b",") for line in content.split(b"\n")]
    column, token = generator.integers(1, 6), TOKENS[generator.integers(len(TOKENS))]
    share = (0, 0.03, 0.5, 1)[generator.integers(4)]
    chosen = generator.random(len(lines)) < share
    chosen[generator.integers(len(lines))] = True
    for line in (line for line, is_chosen in zip(lines, chosen, strict=True) if is_chosen):
        if column < len(line):
            line[column] = token if generator.integers(2) else line[column] + token
    changed = b"\n".join(b",".join(line) for line in lines)
    return _by_bytes(changed, generator, corpus) if changed == content else changed


def _by_setting(content, generator, corpus):
    """A line of a question file goes, stands elsewhere, too, or gets a value of any type."""
    lines = content.split(b"\n")
    at, kind = generator.integers(len(lines)), generator.integers(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(generator.integers(len(lines) + 1), lines[at])
    else:
        settings = [number for number, line in enumerate(lines) if b"=" in line]
        if not settings:
            return _by_bytes(content, generator, corpus)
        at = settings[generator.integers(len(settings))]
        value = SETTINGS[generator.integers(len(SETTINGS))]
        lines[at] = lines[at].partition(b"=")[0] + b"= " + value
    return b"\n".join(lines)


def _by_word(content, generator, corpus):
    """A word or a sign of a graph becomes another one of it, or any, or none."""
    words = re.split(rb"(\w+|-[->]?|<-|\s|.)", content)
    places = [at for at, word in enumerate(words) if word.strip()]
    if not places:
        return _by_bytes(content, generator, corpus)
    at, other = (places[number] for number in generator.integers(len(places), size=2))
    token = TOKENS[generator.integers(len(TOKENS))]
    words[at] = (words[other], words[other], token, b"")[generator.integers(4)]
    return b"".join(words)


def _by_unpacking(content, generator, corpus):
    """Changes compressed text and packs it again."""
    try:
        text = gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return _by_bytes(content, generator, corpus)
    return gzip.compress(_by_field(text, generator, [text]), mtime=0)


def _by_json(content, generator, corpus):
    """Another value at a place of a document, none, or one more; a seal is made anew."""
    try:
        document = json.loads(content)
        paths = [*places(document)]
    except (ValueError, RecursionError):
        return _by_bytes(content, generator, corpus)
    if not paths:
        return _by_bytes(content, generator, corpus)
    path = paths[generator.integers(len(paths))]
    parent, key = at_path(document, path[:-1]), path[-1]
    kind = generator.integers(4)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        other = at_path(document, paths[generator.integers(len(paths))])
        parent[key] = json.loads(json.dumps(other))
    else:
        value = ODD_VALUES[generator.integers(len(ODD_VALUES))]
        if kind == 3 and isinstance(parent[key], dict):
            parent[key] |= {str(value): value}
        elif kind == 3 and isinstance(parent[key], list):
            parent[key].append(value)
        else:
            parent[key] = value
    text = (
        sealed(document)
        if "seal" in document and "\\ud800" not in json.dumps(document)
        else (json.dumps(document))
    )
    return text.encode()


def _by_member(content, generator, corpus):
    """Changes one file of an archive and packs it again."""
    try:
        members = unpack(content)
    except (BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError):
        return _by_bytes(content, generator, corpus)
    if not members:
        return _by_bytes(content, generator, corpus)
    name = [*members][generator.integers(len(members))]
    members[name] = _by_bytes(members[name], generator, [members[name]])
    return pack(members)


def unpack(content):
    """The files of an archive by name."""
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(members):
    """An archive of these files; it does not depend on the time."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for member, inside in members.items():
            archive.writestr(ZipInfo(member), inside)
    return packed.getvalue()
