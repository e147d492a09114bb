"""The compiled core reads the same lines as the reader in Python, from any page."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detourage import core
from detourage.html import PageError, parse_page
from detourage.reader.body import judge_page
from detourage.reader.lines import lines_of
from detourage.reader.outline import Outline

HTML_PIECES = st.one_of(
    st.sampled_from(
        [
            *("<p>", "</p>", "<div>", "</div>", "<a href=x>", "</a>", "<a>", "<b>", "</b>", "<br>"),
            *("<span>", "</span>", "<script>x</script>", "<noscript>No</noscript>", "<rtc>t</rtc>"),
            *("<svg>", "</svg>", "<table><td>", "</table>", "<wbr>", "&shy;", "&nbsp;", "\u200b"),
            *("<math>", "</math>", "<template><p>t</p></template>", "<select><option>o</select>"),
            *("日本語。", "İ", "１２", "Ελλάδα;", "O'Neill", "word", " ", "\n", "«Yes»", "3.5 %"),
        ]
    ),
    st.text(max_size=8),
)


@given(st.lists(HTML_PIECES, max_size=40).map("".join))
def test_core_and_reader_find_the_same_lines(html: str) -> None:
    try:
        flat = parse_page(html).flat
    except PageError:
        return
    outline = Outline.of(flat)
    first = np.frombuffer(core.columns(flat, "https://a.example/")["first"], np.int32)
    lines = lines_of(outline)
    assert len(first) == len(lines)
    for piece, line in zip(first.tolist(), lines, strict=True):
        assert line.text[:1] in flat.pieces.texts[piece]
    assert len(judge_page(outline).role_probabilities) == len(lines)
