/** Amounts by resource name, as quantities: `{ cpu: '4', memory: '16Gi' }`. */
export type ResourceAmounts = Readonly<Record<string, string | number>>;

export interface ResourceRequirements {
  readonly requests?: ResourceAmounts;
  readonly limits?: ResourceAmounts;
}
