/**
 * Four small programs, one for each thing that Millrace is mostly used for: a {@linkplain
 * dev.millrace.ohlcv.programs.QueueProgram queue}, a {@linkplain
 * dev.millrace.ohlcv.programs.PipelineProgram pipeline}, {@linkplain
 * dev.millrace.ohlcv.programs.TelemetryProgram telemetry}, and a {@linkplain
 * dev.millrace.ohlcv.programs.HistoryProgram history}. Each reads the example's 100,000 trades.
 */
package dev.millrace.ohlcv.programs;
