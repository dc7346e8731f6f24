/**
 * A ring that overwrites its oldest records, in memory that its maker provides: {@code
 * HistorySlots}, {@code HistoryWriter} and {@code HistoryCursor}. Exported to the sibling modules
 * only.
 */
@NullMarked
package dev.millrace.core.internal.history;

import org.jspecify.annotations.NullMarked;
