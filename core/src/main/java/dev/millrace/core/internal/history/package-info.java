/**
 * A ring that overwrites its oldest records, in memory that its maker provides: {@code
 * HistorySlots}, {@code HistoryWriter} and {@code HistoryCursor}. Exported to the sibling modules
 * only.
 */
package dev.millrace.core.internal.history;
