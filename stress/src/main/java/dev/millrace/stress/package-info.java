/**
 * Long runs in which every record is checked and accounted for.
 *
 * <pre>{@code
 * Soak       the command: which rounds there are, and the table of what they saw
 * Round      a structure, its threads, and how it ends; one subclass for each way of use
 * Sender     claims in every form, writes, commits or aborts, stalls  ->  Sink, of a structure
 * Receiver   takes in every form, with handlers that throw            <-  Source, of a structure
 * spec       the ledger of what was sent, and what else each structure promises
 * Fault      what a thread does wrong on purpose, and how that is noticed
 * }</pre>
 *
 * <p>A new structure needs a {@code Sink}, with three methods, and a {@code Source}, with one. They
 * are not {@code Producer} and {@code Consumer}, because a {@code RecordQueue} has no ends, a
 * reader of a history releases nothing, and the length of a message depends on its number.
 *
 * <p>A record's number determines its producer, its place, and its content. So most rounds keep
 * nothing per record and may be long. Rounds on k-FIFO queues keep every call, because their order
 * can only be judged afterwards; they are short.
 *
 * <p>Faults are an option of the command, {@code --fault}, so that one test plants each fault in
 * each soak that it concerns.
 */
package dev.millrace.stress;
