/** What this library's other modules share of their ends. Not exported to users. */
package dev.millrace.flyweight.internal;
