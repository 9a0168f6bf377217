"""The form and the YAML say the same: whatever a rubric holds goes from one to the other."""

from __future__ import annotations

from hypothesis import given

from rubrics import document, outline_form, outline_reader, outline_writer
from rubrics.content import Rubric
from tests.pure.test_document_roundtrip import rubrics


# A list in the form has one entry a line, or between commas.
def fits_a_form(rubric: Rubric) -> bool:
    lists = [check.values for check in rubric.criteria if check.kind != "preference"]
    lists += [
        value for check in rubric.criteria for _, value in check.rule if isinstance(value, tuple)
    ]
    return not any("\n" in text for texts in lists for text in texts)


@given(rubrics().filter(fits_a_form))
def test_what_the_form_writes_reads_back_as_the_same_rubric(rubric: Rubric) -> None:
    read = outline_reader.start(rubric)
    text = outline_writer.write(read)
    assert document.parse(text).rubric == rubric
    sent = {
        name: value.replace("\n", "\r\n") for name, value in outline_form.fields_of(read).items()
    }
    back = outline_form.from_fields(sent)
    assert back is not None
    assert outline_writer.write(back) == text
    assert outline_form.seal(back) == outline_form.seal(read)
