/** Looks up a table by a key that a client chose; inherited members of JavaScript objects are not rows. */
export function rowOf<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
