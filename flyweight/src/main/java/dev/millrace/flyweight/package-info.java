/** What a record holds. */
package dev.millrace.flyweight;
