/**
 * A file that several processes map: how it is made and opened, its table of participants, and how
 * the claims and polls of a dead participant are recovered. The rings decide what else they keep in
 * the file.
 */
package dev.millrace.queues.internal.shared;
