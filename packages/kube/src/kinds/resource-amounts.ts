/** Amounts by resource name, as quantities: `{ cpu: '4', memory: '16Gi' }`. */
export type ResourceAmounts = Readonly<Record<string, string | number>>;

export interface ResourceRequirements {
  readonly requests?: ResourceAmounts;
  readonly limits?: ResourceAmounts;
  /** Claims of the pod (dynamic resource allocation) that a container uses. */
  readonly claims?: readonly { readonly name: string; readonly request?: string }[];
}
