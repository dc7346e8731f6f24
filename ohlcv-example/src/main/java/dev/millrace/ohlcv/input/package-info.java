/**
 * From files to trades: CSV and JSON of many exchanges, the columns told by their names or by the
 * user, every number read exactly, every error with its file, line, field and value.
 */
package dev.millrace.ohlcv.input;
