/** Tables are asked by words that clients chose; what every JavaScript object inherits is no row of them. */
export function rowOf<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
