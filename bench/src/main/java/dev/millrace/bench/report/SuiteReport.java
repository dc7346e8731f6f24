package dev.millrace.bench.report;

import java.util.List;

/**
 * Works that belong together, beside those that have targets.
 *
 * @param id its name
 * @param title its title
 * @param sweeps its charts over several works
 * @param sections its works, those that were run
 */
public record SuiteReport(
    String id, String title, List<SweepChart> sweeps, List<Section> sections) {}
