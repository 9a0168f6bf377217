from rubrics.document import Change, Rubric, compare, digest, parse, semantic_digest, sources


def rubric(criteria: str, rest: str = "") -> Rubric:
    return parse(f"task: t\n{rest}criteria:\n{criteria}").rubric


def whats(old: Rubric, new: Rubric) -> list[tuple[str, str]]:
    return [(change.key, change.what) for change in compare(old, new)]


ONE = rubric("  - {id: C1, weight: 2, check: one}\n")


def test_equal_documents_have_no_changes() -> None:
    assert compare(ONE, ONE) == ()


def test_added_and_removed_checks_are_named() -> None:
    new = rubric("  - {id: C2, weight: 2, check: two}\n")
    assert compare(ONE, new) == (
        Change("C2", "added", after="two"),
        Change("C1", "removed", before="one"),
    )


def test_each_change_of_a_check_is_told_with_before_and_after() -> None:
    new = rubric(
        "  - {id: C1, weight: 2.5, check: uno, title: T, help: h, level: ordinal,"
        " values: [1, 2], allows_na: true, family: subject}\n"
    )
    assert compare(ONE, new) == (
        Change("C1", "reworded", "one", "uno"),
        Change("C1", "title", "", "T"),
        Change("C1", "help", "", "h"),
        Change("C1", "reweighted", "2", "2.5"),
        Change("C1", "values", "yes, no", "1, 2"),
        Change("C1", "level", "nominal", "ordinal"),
        Change("C1", "family", "side", "subject"),
        Change("C1", "allows_na", "no", "yes"),
    )


def test_anchors_are_compared_one_by_one() -> None:
    old = rubric("  - {id: C1, weight: 2, check: one, pass_example: a, fail_example: b}\n")
    new = rubric("  - {id: C1, weight: 2, check: one, pass_example: a, fail_example: c}\n")
    assert compare(old, new) == (
        Change("C1", "anchors", before="fail, invented: b"),
        Change("C1", "anchors", after="fail, invented: c"),
    )


def test_a_note_on_an_anchor_is_a_change_of_its_own() -> None:
    old = rubric("  - {id: C1, check: c, anchors: [{verdict: pass, text: a, note: x}]}\n")
    new = rubric("  - {id: C1, check: c, anchors: [{verdict: pass, text: a, note: y}]}\n")
    assert compare(old, new) == (Change("C1", "note", "x", "y"),)


def test_anchors_in_another_order_are_a_change() -> None:
    old = rubric("  - {id: C1, check: c, pass_example: a, fail_example: b}\n")
    reordered = "[{verdict: fail, text: b}, {verdict: pass, text: a}]"
    new = rubric(f"  - {{id: C1, check: c, anchors: {reordered}}}\n")
    assert whats(old, new) == [("C1", "anchors")]


def test_a_split_is_followed_by_its_lineage() -> None:
    old = rubric("  - {id: C2, check: lists items and owners}\n")
    new = rubric(
        "  - {id: C2, check: lists items, lineage: {reworded: C2}}\n"
        "  - {id: C3, check: names owners, lineage: {split_from: C2}}\n"
    )
    assert sources(old, new) == {"C2": ("C2",), "C3": ("C2",)}
    assert compare(old, new) == (
        Change("C2", "reworded", "lists items and owners", "lists items"),
        Change("C3", "split_from", "C2", "C3"),
        Change("C3", "reworded", "lists items and owners", "names owners"),
    )


def test_a_merger_is_followed_by_its_lineage() -> None:
    old = rubric("  - {id: C1, check: a}\n  - {id: C2, check: b}\n")
    new = rubric("  - {id: C5, check: a and b, lineage: {merged_from: [C1, C2]}}\n")
    assert compare(old, new) == (Change("C5", "merged_from", "C1, C2", "a and b"),)


def test_a_renamed_check_is_followed_by_its_lineage() -> None:
    new = rubric("  - {id: K1, weight: 2, check: one, lineage: {unchanged: C1}}\n")
    assert compare(ONE, new) == (Change("K1", "renamed", "C1", "K1"),)


def test_a_check_moved_to_code_is_followed_by_its_lineage() -> None:
    automatic = (
        "automatic:\n"
        "  - {id: A1, check: one, rule: {max_words: 9}, lineage: {moved_to_automatic: C1}}\n"
    )
    new = rubric("  - {id: C2, check: two}\n", automatic)
    assert compare(ONE, new) == (
        Change("C2", "added", after="two"),
        Change("A1", "renamed", "C1", "A1"),
        Change("A1", "moved", "criterion", "automatic"),
        Change("A1", "reweighted", "2", ""),
        Change("A1", "values", "yes, no", "pass, fail"),
        Change("A1", "rule", "", "max_words: 9"),
    )


def test_a_check_that_becomes_a_gate_by_code_is_told() -> None:
    def by_code(decides: str) -> Rubric:
        rule = f"  - {{id: A1, check: a, rule: {{json: true}}, decides: {decides}}}\n"
        return rubric("  - {id: C1, check: one}\n", "automatic:\n" + rule)

    assert compare(by_code("false"), by_code("true")) == (Change("A1", "decides", "no", "yes"),)


def test_lineage_that_the_earlier_version_told_already_is_history() -> None:
    second = rubric(
        "  - {id: C2, check: lists}\n  - {id: C3, check: names, lineage: {split_from: C2}}\n"
    )
    third = rubric(
        "  - {id: C2, check: lists}\n  - {id: C3, check: names all, lineage: {split_from: C2}}\n"
    )
    assert sources(second, third)["C3"] == ("C3",)
    assert compare(second, third) == (Change("C3", "reworded", "names", "names all"),)


def test_lineage_that_names_an_unknown_check_falls_back_to_the_same_key() -> None:
    new = rubric("  - {id: C1, weight: 2, check: one, lineage: {reworded: C9}}\n")
    assert sources(ONE, new) == {"C1": ("C1",)}


def test_a_key_taken_over_by_a_merger_is_not_its_old_self() -> None:
    old = rubric("  - {id: C1, check: a}\n  - {id: C2, check: b}\n  - {id: C3, check: d}\n")
    new = rubric("  - {id: C1, check: b and d, lineage: {merged_from: [C2, C3]}}\n")
    assert whats(old, new) == [("C1", "merged_from"), ("C1", "removed")]


def test_another_order_is_one_change_of_the_whole() -> None:
    old = rubric("  - {id: C1, check: a}\n  - {id: C2, check: b}\n")
    new = rubric("  - {id: C2, check: b}\n  - {id: C1, check: a}\n")
    assert compare(old, new) == (Change("", "order", "C1, C2", "C2, C1"),)


def test_changes_of_the_whole_come_first() -> None:
    old = parse("task: t\npreference: {scale: 3}").rubric
    new = parse("task: u\nname: N\npreference: {scale: 3, rationale: cite}").rubric
    assert whats(old, new) == [("", "task"), ("", "name"), ("", "rationale")]


def test_wf_07_an_edit_is_a_new_version_and_a_help_text_a_revision() -> None:
    first = rubric(
        "  - {id: accuracy, weight: 2, check: a, level: ordinal, values: [1, 2, 3], help: teh}\n"
        "  - {id: style, weight: 1, check: s, level: ordinal, values: [1, 2, 3]}\n"
    )
    second = rubric(
        "  - {id: accuracy, weight: 3, check: a, level: ordinal, values: [1, 2, 3, 4], help: teh}\n"
    )
    assert compare(first, second) == (
        Change("accuracy", "reweighted", "2", "3"),
        Change("accuracy", "values", "1, 2, 3", "1, 2, 3, 4"),
        Change("style", "removed", before="s"),
    )
    assert semantic_digest(first) != semantic_digest(second)
    mended = rubric(
        "  - {id: accuracy, weight: 3, check: a, level: ordinal, values: [1, 2, 3, 4], help: the}\n"
    )
    assert compare(second, mended) == (Change("accuracy", "help", "teh", "the"),)
    assert semantic_digest(second) == semantic_digest(mended)
    assert digest(second) != digest(mended)
