"""Mutants that people thought of: each a change of a few words that tests once missed, with the tests that notice it.

They lie off the beaten thresholds: an error beside a share, the order of names, a queue, a state two steps back. What a
mutant of `tests.mutation.mutants` changes, an operator finds; what these change, somebody who read the code.

    python -m tests.mutation.run review
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Patch:
    """One change of one file.

    Attributes:
        file: from the root of the checkout.
        old: the text that is changed, which stands in the file once.
        new: what stands there instead.
        tests: that notice it, as arguments of pytest.
    """

    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file."""
        return ROOT / self.file

    def source(self) -> str:
        """The file's content with the change made.

        Raises:
            ValueError: where the text that is changed is not there, or more than once.
        """
        text = self.path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {self.old!r} {text.count(self.old)} times; once would be right")
        return text.replace(self.old, self.new)

    def difference(self) -> list[str]:
        """The lines that change, with ``-`` and ``+`` before them."""
        return [f"-{line}" for line in self.old.splitlines()] + [f"+{line}" for line in self.new.splitlines()]


OF_VERSION_0_2 = (
    Patch(
        "silhouette/measure/silhouettes.py",
        "if edged.is_empty():",
        "if True:",
        ("tests/measure/test_silhouettes.py",),
    ),
    Patch(
        "silhouette/measure/counting.py",
        "return whole / 2.0 if abs(part - whole / 2.0) <= rounded else part",
        "return part",
        ("tests/measure/test_occlusion.py",),
    ),
    Patch(
        "silhouette/relations/lines.py",
        "error = 0.0 if search.is_found else max(0.0, search.most - search.width)",
        "error = 0.0 if search.is_found else max(0.0, search.most)",
        ("tests/relations/test_lines.py::test_the_error_is_what_the_search_left_beyond_the_width_that_it_found",),
    ),
    Patch(
        "silhouette/relations/obstacles.py",
        "key=lambda number: -met[number]",
        "key=lambda number: met[number]",
        ("tests/relations/test_lines.py::test_the_piece_that_meets_most_lines_is_named_first",),
    ),
    Patch(
        "silhouette/scans/match.py",
        "own.unseen > (0.24 if large else 0.085)",
        "own.unseen > 0.24",
        ("tests/scans/test_matching.py",),
    ),
    Patch(
        "silhouette/exchange/tts.py",
        "base / 4.0 < height <= MAX_LENGTH_MM",
        "base < height <= MAX_LENGTH_MM",
        ("tests/exchange/test_tts.py",),
    ),
    Patch(
        "silhouette/workers/pool.py",
        "return urgency >= PATIENT",
        "return urgency > PATIENT",
        ("tests/live/test_judges.py::test_a_patient_question_gives_way_to_a_more_urgent_one_and_to_no_other",),
    ),
    Patch(
        "silhouette/bundles/comparing.py",
        "        for share in shares\n",
        "        for share in shares[:1]\n",
        ("tests/bundles/test_comparing.py",),
    ),
    Patch(
        "silhouette/bundles/replaying.py",
        "(before, own or then.device), (before, own)",
        "(then.renderer, own)",
        ("tests/bundles/test_bundles.py::test_it_is_judged_again_on_its_device",),
    ),
    Patch(
        "silhouette/live/live_table.py",
        "states[:] = [replace(other, models=laid_over(was, other.models)) for other in states]",
        "states[:] = [replace(other) for other in states]",
        ("tests/live/test_tags.py",),
    ),
)
"""The ten of the review of version 0.2 that no test noticed."""

SECOND_FACTS = (
    Patch(
        "silhouette/live/live_table.py",
        "(saved.document, saved.models) == (self._now.document, self._now.models)",
        "saved.document == self._now.document",
        ("tests/live/test_tags.py", "tests/live/test_live_table.py"),
    ),
    Patch(
        "silhouette/bundles/comparing.py",
        "return _error(self.then) + _error(self.now)",
        "return max(_error(self.then), _error(self.now))",
        ("tests/bundles/test_comparing.py",),
    ),
    Patch(
        "silhouette/bundles/replaying.py",
        "error = then.error if settings.error is None else settings.error",
        "error = settings.error",
        ("tests/bundles/test_bundles.py",),
    ),
    Patch(
        "silhouette/exchange/imported.py",
        "gap = np.linalg.norm(placed - moved(matrix, eight), axis=1).max()",
        "gap = np.linalg.norm(placed - moved(matrix, eight), axis=1).mean()",
        ("tests/exchange/test_tts_poses.py", "tests/exchange/test_gltf.py"),
    ),
    Patch(
        "silhouette/exchange/tts.py",
        'self._leave(part.name, f"is part of {name}, for which a stand-in stands")',
        "pass",
        ("tests/exchange/test_tts.py",),
    ),
    Patch(
        "silhouette/measure/estimate.py",
        "    errors[blind, 2] = 0.0\n",
        "",
        ("tests/measure/test_estimate.py", "tests/measure/test_proven.py"),
    ),
    Patch(
        "silhouette/measure/occlusion.py",
        "touching += ((met ^ bare ^ self.whole) - hidden - left).area()",
        "touching += 0.0",
        ("tests/measure/test_occlusion.py",),
    ),
    Patch(
        "silhouette/measure/occlusion.py",
        "return replace(hidden, maybe=_covered(mixed) ^ self.whole)",
        "return hidden",
        ("tests/measure/test_occlusion.py",),
    ),
    Patch(
        "silhouette/measure/tiles.py",
        "            is_covered[rim.met.tile] = False\n",
        "",
        ("tests/measure/test_occlusion.py",),
    ),
    Patch(
        "silhouette/measure/tiles.py",
        "is_behind |= is_covered & (rim.take(tile) > blocker.far + DEPTHS_APART)",
        "is_behind |= is_covered",
        ("tests/measure/test_occlusion.py",),
    ),
    Patch(
        "silhouette/scenes/warnings.py",
        " and pieces[other].name not in named",
        "",
        ("tests/scenes/test_placement_warnings.py",),
    ),
    Patch(
        "silhouette/scenes/table.py",
        "CONTACT_GAP_MM + radius + other_radius + PLACE_ROUNDING_MM",
        "CONTACT_GAP_MM + radius + other_radius",
        ("tests/scenes/test_table.py",),
    ),
)
"""More of the kind, in the rooms where people save, keep, import and measure."""

OFF_THE_THRESHOLDS = (
    Patch(
        "silhouette/batches/chunks.py",
        "rows = 1 if chunk.stop is None else chunk.stop - chunk.start",
        "rows = 1 if chunk.stop is None else chunk.stop",
        ("tests/batches/test_changed_files.py::test_what_changes_while_it_is_judged_is_an_error_and_never_mixed",),
    ),
    Patch(
        "silhouette/batches/finished.py",
        "for record in records[:-MAX_RECORDS]:",
        "for record in records[MAX_RECORDS:]:",
        ("tests/batches/test_finished.py::test_of_many_records_the_latest_are_kept",),
    ),
    Patch(
        "silhouette/batches/finished.py",
        "{scene: new.get(scene) or digest for scene",
        "{scene: new.get(scene, digest) for scene",
        (
            "tests/batches/test_finished.py::test_a_scene_that_cannot_be_opened_for_a_repair_keeps_the_state_of_its_rows",
        ),
    ),
    Patch(
        "silhouette/batches/run.py",
        "together=1 if timeout else CHUNK_CHECKS_TOGETHER",
        "together=CHUNK_CHECKS_TOGETHER",
        ("tests/batches/test_run.py::test_with_a_time_limit_each_check_is_judged_by_itself",),
    ),
    Patch(
        "silhouette/bundles/writing.py",
        "0o100644 << 16",
        "0o100600 << 16",
        ("tests/bundles/test_bundles.py::test_everybody_may_read_what_is_unpacked",),
    ),
    Patch(
        "silhouette/bundles/reading.py",
        'f"{name} was added" for key, name in',
        'f"{key} was added" for key, name in',
        ("tests/bundles/test_bundles.py::test_what_was_added_is_told_by_its_name",),
    ),
    Patch(
        "silhouette/bundles/comparing.py",
        "_label(before or after or {})",
        "_label(before or {})",
        ("tests/bundles/test_comparing.py::test_a_key_or_a_row_that_is_not_there_differs",),
    ),
    Patch(
        "silhouette/bundles/layout.py",
        "size = len(name.encode())",
        "size = len(name.encode()) - len(name.encode()) + len(name)",
        ("tests/bundles/test_layout.py::test_names_in_a_bundle",),
    ),
    Patch(
        "silhouette/cli/tables.py",
        '"bold red" if unexpected or failed else "bold"',
        '"bold red" if unexpected else "bold"',
        ("tests/cli/test_tables.py::test_the_summary_counts_what_was_not_as_expected",),
    ),
    Patch(
        "silhouette/cli/doctor.py",
        "any(probe.hardware for probe in on_egl) and not in_the_way",
        "any(probe.hardware for probe in on_egl)",
        ("tests/cli/test_doctor.py::test_a_gpu_that_is_there_but_unusable_is_told_plainly",),
    ),
    Patch(
        "silhouette/cli/map.py",
        "int((here & drawn.marginal).sum())",
        "int(drawn.marginal.sum())",
        ("tests/cli/test_map.py::test_what_is_printed_counts_the_marginal_places_of_each_verdict",),
    ),
    Patch(
        "silhouette/cli/waiting.py",
        "rate = (done - before) /",
        "rate = done /",
        ("tests/cli/test_waiting.py::test_a_total_that_may_grow_shows_no_share_and_no_time",),
    ),
    Patch(
        "silhouette/judging/counterfactuals.py",
        "round(direction, 3) % 360.0",
        "round(direction, 3)",
        (
            "tests/judging/test_changes.py::test_a_move_is_told_from_where_the_attacker_looks_and_its_direction_is_below_a_whole_turn",
        ),
    ),
    Patch(
        "silhouette/judging/counterfactuals.py",
        'if role == "target" and ("left" in way',
        'if ("left" in way',
        (
            "tests/judging/test_changes.py::test_a_move_is_told_from_where_the_attacker_looks_and_its_direction_is_below_a_whole_turn",
        ),
    ),
    Patch(
        "silhouette/judging/monte_carlo.py",
        "(error / SIGMAS) ** 2 / variance",
        "error**2 / variance",
        ("tests/judging/test_how_sure.py::test_measuring_weighs_what_its_variance_is_of_that_among_the_trials",),
    ),
    Patch(
        "silhouette/judging/maps.py",
        "len(possible) > 1 or verdict.marginal",
        "len(possible) > 1",
        (
            "tests/judging/test_maps.py::test_what_is_hidden_is_marginal_as_well_where_nobody_knows_where_the_attacker_faces",
        ),
    ),
    Patch(
        "silhouette/judging/judge.py",
        "verdict=verdict.without_evidence(), picture=picture",
        "picture=picture",
        ("tests/judging/test_judging.py::test_an_observation_is_kept_until_its_picture_is_drawn_and_no_longer",),
    ),
    Patch(
        "silhouette/judging/judge.py",
        "run.from_here(done)",
        "run.from_here(0)",
        ("tests/judging/test_judging.py::test_steps_go_on_from_what_is_added_to_what_is_added_next",),
    ),
    Patch(
        "silhouette/judging/judge.py",
        "setdefault((scene.rules, pixel_of(scene, options.pixel)), [])",
        "setdefault((scene.rules, 0.0), [])",
        (
            "tests/judging/test_judging.py::test_checks_of_scenes_that_ask_for_different_things_are_judged_as_each_is_alone",
        ),
    ),
    Patch(
        "silhouette/notebook/questions.py",
        "replace(judged.changes, one_way=judged.one_way)",
        "judged.changes",
        ("tests/judging/test_judging.py::test_what_would_change_is_the_same_from_every_command",),
    ),
    Patch(
        "silhouette/drawing/saving.py",
        '"Subject": description.about,',
        '"Subject": description.title,',
        ("tests/drawing/test_saving.py::test_every_format_has_a_sentence_apart_from_its_data",),
    ),
    Patch(
        "silhouette/drawing/saving.py",
        '["embedded type", *digests, signs]',
        '["embedded type", signs]',
        ("tests/drawing/test_saving.py::test_kept_type_is_of_the_files_of_the_type",),
    ),
    Patch(
        "silhouette/exchange/tts.py",
        "            self._leave_parts(state, name)\n            return str(wrong)",
        "            return str(wrong)",
        ("tests/exchange/test_tts.py::test_the_parts_of_what_has_no_place_are_left_out_with_it",),
    ),
    Patch(
        "silhouette/exchange/tts.py",
        "or plain_name(path.stem) or TTS_PROGRAM",
        "or TTS_PROGRAM",
        ("tests/exchange/test_tts.py::test_a_save_without_a_name_is_called_as_its_file",),
    ),
    Patch(
        "silhouette/exchange/folder.py",
        'if key not in (*own, "meshes")',
        "if key not in own",
        ("tests/exchange/test_folder.py::test_addresses_of_an_earlier_table_give_way_to_those_of_this_one",),
    ),
    Patch(
        "silhouette/files/cache.py",
        "        os.utime(path)\n",
        "        pass\n",
        ("tests/files/test_cache.py::test_what_was_used_longest_ago_goes_when_the_folder_grows_too_large",),
    ),
    Patch(
        "silhouette/live/judges.py",
        "self.device, self.error, self.pixel)",
        "self.device, self.error)",
        ("tests/live/test_judges.py::test_a_fresh_process_is_started_with_what_the_others_judge_with",),
    ),
    Patch(
        "silhouette/workers/pool.py",
        "last = max(patient, key=lambda future: future.urgency)",
        "last = min(patient, key=lambda future: future.urgency)",
        ("tests/workers/test_submit.py::test_the_least_urgent_of_patient_tasks_gives_way",),
    ),
    Patch(
        "silhouette/workers/pool.py",
        "not is_patient(urgency) and not future.done() for",
        "not is_patient(urgency) for",
        ("tests/workers/test_submit.py::test_nobody_gives_way_to_a_task_that_was_cancelled_before_it_was_begun",),
    ),
    Patch(
        "silhouette/workers/pool.py",
        "        future.is_giving_way = False\n",
        "",
        ("tests/workers/test_submit.py::test_a_task_gives_way_as_often_as_it_must",),
    ),
    Patch(
        "silhouette/workers/slots.py",
        "len(new[digest]) + content.extra",
        "len(new[digest])",
        ("tests/workers/test_submit.py::test_contents_are_sent_to_a_process_once_and_again_after_they_were_dropped",),
    ),
    Patch(
        "silhouette/meshes/stored.py",
        '[*tree.get("buffers", []), *tree.get("images", [])]',
        '[*tree.get("images", [])]',
        ("tests/drawing/test_own_colours.py::test_colours_are_those_of_the_buffer_beside_a_gltf_file",),
    ),
    Patch(
        "silhouette/meshes/stored.py",
        "held.units, tuple(dict.fromkeys(warnings)))",
        "held.units, tuple(warnings))",
        (
            "tests/meshes/test_stored_colours.py::test_pictures_of_a_file_have_a_limit_together_and_alike_warnings_are_told_once",
        ),
    ),
    Patch(
        "silhouette/meshes/skins.py",
        "                    self._left -= pixels\n",
        "",
        (
            "tests/meshes/test_stored_colours.py::test_pictures_of_a_file_have_a_limit_together_and_alike_warnings_are_told_once",
        ),
    ),
    Patch(
        "silhouette/meshes/skins.py",
        "(rows < 0).any(axis=1), len(weights)",
        "(rows < 0).all(axis=1), len(weights)",
        ("tests/drawing/test_own_colours.py::test_a_face_one_corner_of_which_has_no_place_in_the_picture_is_white",),
    ),
    Patch(
        "silhouette/models/stand_ins.py",
        "min(THICKNESS, figure.height / 10.0)",
        "min(THICKNESS, figure.height)",
        ("tests/models/test_mistakes.py::test_the_base_of_a_low_stand_in_is_a_tenth_of_its_height",),
    ),
    Patch(
        "silhouette/models/basing.py",
        "if step is None or apart > CONCENTRIC else",
        "if step is None else",
        ("tests/models/test_mistakes.py::test_scenery_to_one_side_of_a_figure_is_no_step",),
    ),
    Patch(
        "silhouette/renderers/embree.py",
        "towards += normals * np.copysign(",
        "towards = normals * np.copysign(",
        ("tests/renderers/test_touched_faces.py::test_an_eye_on_the_edge_of_a_wedge_sees_its_far_side",),
    ),
    Patch(
        "silhouette/rules/necromunda/judge.py",
        "not ruling.counts.in_arc, ruling.occluded))",
        "not ruling.counts.in_arc))",
        (
            "tests/rules/necromunda/test_arcs.py::test_an_unknown_facing_of_a_vehicle_leaves_its_blind_spots_and_tries_its_whole_crew",
        ),
    ),
    Patch(
        "silhouette/relations/visible.py",
        "(patch.value == best.value and patch.error > best.error)",
        "(patch.value == best.value and patch.error < best.error)",
        ("tests/relations/test_looks.py::test_nothing_is_seen_through_a_crack_but_not_with_certainty",),
    ),
    Patch(
        "silhouette/relations/visible.py",
        "hidden.get(piece.name, 0) + count",
        "count",
        ("tests/relations/test_looks.py::test_who_hides_most_from_all_eyes_together_is_named_first",),
    ),
    Patch(
        "silhouette/pages/report/sections.py",
        '    there.sort(key=lambda pair: pair[1].kind == "terrain")\n',
        "",
        ("tests/pages/test_page_parts.py::test_the_view_looks_from_where_the_rules_do_past_what_they_leave_out",),
    ),
    Patch(
        "silhouette/pages/report/sections.py",
        'f"{sight.check + 1}. ',
        'f"{sight.check}. ',
        ("tests/pages/test_page_parts.py::test_the_view_looks_from_where_the_rules_do_past_what_they_leave_out",),
    ),
    Patch(
        "silhouette/common/text.py",
        "        choice for choice in names if choice.lower() == name.lower()\n",
        "        choice for choice in names if choice == name\n",
        ("silhouette/common/text.py",),
    ),
)
"""Of all rooms but those of measuring, scanning and games by data, chosen before a look at the tests.

Of sixty of these and others thirty-one died at first; these have tests since.
"""

PATCHES = (*OF_VERSION_0_2, *SECOND_FACTS, *OFF_THE_THRESHOLDS)
