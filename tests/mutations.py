"""Changes small valid files at random, by bytes and by structure; each case has a number."""

import gzip
import io
import re
import zlib
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

NUMBERS = (0, 1, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63)
TOKENS = [
    *(b"\0", b"\x1b[2J", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b",", b";", b"|", b'"', b'""'),
    *(b"'", b"\\", b"/*", b"#", b"//", b"[[", b"]]", b"{", b"}", b"[", b"]", b"(", b"=", b":"),
    *(b"nan", b"inf", b"-Infinity", b"null", b"true", b"None", b"NA", b"1e999", b"1e-300"),
    *(b"-1", b"-0", b"0x10", b"1_000", b"1/0", b"1,5", b"9" * 40, b"0." + b"3" * 40),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x85"),
    *("é ı İ ß \u2028 \u202e \u200b 👩‍👧 \ufeff".encode().split(b" ")),
    *(b"&#x1b;", b"&lt;", b"<!ENTITY a 'b'>", b"<script>", b"=1+1", b"../..", b"/dev/zero"),
]


def generator_of(kind, number):
    """The random choices of a case; they depend on nothing else."""
    return np.random.default_rng([zlib.crc32(kind.encode()), number])


def mutate(kind, number, corpus):
    """The content of a case: one file of the corpus, changed once or a few times."""
    generator = generator_of(kind, number)
    content = corpus[generator.integers(len(corpus))]
    structures = {"csv": _by_field, "packed": _by_unpacking, "excel": _by_member}
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


def _by_unpacking(content, generator, corpus):
    """Changes compressed text and packs it again."""
    try:
        text = gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return _by_bytes(content, generator, corpus)
    return gzip.compress(_by_field(text, generator, [text]), mtime=0)


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
