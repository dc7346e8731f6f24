/** What articles claim about memory, measured once more: see {@code docs/ARTICLES.md}. */
package dev.millrace.bench.articles;
