"""Writes small Excel files, part by part as the format wants them."""

from datetime import date
from struct import pack
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_workbook(path, **sheets):
    """A workbook with these sheets, each a list of rows of texts, numbers, dates or None.

    A row that is one text is written as it is: XML of a row.
    """
    numbered = [*enumerate(sheets.items(), 1)]
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{BOOK}.sheet.main+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{BOOK}.styles+xml"/>'
            + "".join(
                f'<Override PartName="/xl/worksheets/sheet{n}.xml" '
                f'ContentType="{BOOK}.worksheet+xml"/>'
                for n, _ in numbered
            )
            + "</Types>",
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
            + "".join(
                f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="r{n}"/>'
                for n, (name, _) in numbered
            )
            + "</sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships">'
            f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
            + "".join(
                f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" '
                f'Target="worksheets/sheet{n}.xml"/>'
                for n, _ in numbered
            )
            + "</Relationships>",
        )
        archive.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>'
            "</cellXfs></styleSheet>",
        )
        for n, (_, rows) in numbered:
            lines = "".join(
                row
                if isinstance(row, str)
                else f"<row>{''.join(map(_cell, row))}</row>"
                if row
                else "<row/>"
                for row in rows
            )
            archive.writestr(
                f"xl/worksheets/sheet{n}.xml",
                f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>',
            )
    return path


def far_cell(reference, content="<v>1</v>"):
    """The row of a single cell, wherever it stands."""
    row = reference.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return f'<row r="{row}"><c r="{reference}">{content}</c></row>'


def write_open_document(path, rows):
    """An OpenDocument spreadsheet of one sheet, with the XML of its rows."""
    names = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = " ".join(f'xmlns:{of}="{names}:{of}:1.0"' for of in ("office", "table", "text"))
    with ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml",
            f'<m:manifest xmlns:m="{names}:manifest:1.0"/>',
        )
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="people">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def open_row(*texts, rows=1, columns=1):
    """A row of an OpenDocument spreadsheet, repeated; its last cell is repeated, too."""
    cells = [
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{times}">'
        f"<text:p>{text}</text:p></table:table-cell>"
        for text, times in zip(texts, [1] * (len(texts) - 1) + [columns], strict=True)
    ]
    return (
        f'<table:table-row table:number-rows-repeated="{rows}">{"".join(cells)}'
        "</table:table-row>"
    )


def write_old_workbook(path, cells):
    """An Excel 97 workbook of one sheet, with numbers at (row, column), counted from 0."""
    none, end = 0xFFFFFFFF, 0xFFFFFFFE

    def record(kind, data=b""):
        return pack("<HH", kind, len(data)) + data

    def start(kind):
        return record(0x809, pack("<HHHHII", 0x600, kind, 0xDBB, 0x7CC, 0, 0))

    def book(offset):
        sheet = record(0x85, pack("<IBBBB", offset, 0, 0, 6, 0) + b"people")
        return start(5) + sheet + record(10)

    def entry(name, kind, child, first, size):
        text = f"{name}\0".encode("utf-16le")
        tree = pack("<HBBIII", len(text), kind, 1, none, none, child)
        return text.ljust(64, b"\0") + tree + b"\0" * 36 + pack("<IQ", first, size)

    numbers = [record(0x203, pack("<HHHd", *place, 0, value)) for place, value in cells.items()]
    stream = book(len(book(0))) + start(16) + b"".join(numbers) + record(10)
    stream = stream.ljust(4096, b"\0")
    sectors = pack("<128I", none - 2, end, *range(3, 10), end, *[none] * 118)
    folder = entry("Root Entry", 5, 1, end, 0) + entry("Workbook", 2, none, 2, len(stream))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    head += pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += pack("<10I", 0, 1, 1, 0, 4096, end, 0, end, 0, 0) + b"\xff" * 432
    path.write_bytes(head + sectors + folder.ljust(512, b"\0") + stream)
    return path


def _cell(value):
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, int | float):
        return f"<c><v>{value!r}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
