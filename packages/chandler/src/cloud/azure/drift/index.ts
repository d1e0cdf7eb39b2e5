/** Entry point: cloud drift on Azure, and the records on claims that it compares. */

export * from './disk-encryption-set-drift.ts';
export * from './drift.ts';
export * from './recorded-value.ts';
export * from './records.ts';
