"""Writes small Excel files, part by part as the format wants them."""

from datetime import date
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZipFile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_workbook(path, **sheets):
    """A workbook with these sheets, each a list of rows of texts, numbers, dates or None."""
    numbered = [*enumerate(sheets.items(), 1)]
    with ZipFile(path, "w") as archive:
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
                f"<row>{''.join(map(_cell, row))}</row>" if row else "<row/>" for row in rows
            )
            archive.writestr(
                f"xl/worksheets/sheet{n}.xml",
                f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>',
            )
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
