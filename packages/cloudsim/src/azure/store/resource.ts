/**
 * A resource as ARM serves it. Such an object is never changed once it is in the store: a change is a new object, so
 * that lists, the resource graph and answers may keep what they have without copying.
 */

export interface ArmResource {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly location?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly zones?: readonly string[];
  readonly identity?: Readonly<Record<string, unknown>>;
  readonly sku?: Readonly<Record<string, unknown>>;
  readonly etag?: string;
  readonly kind?: string;
  readonly managedBy?: string;
  readonly systemData?: Readonly<Record<string, unknown>>;
  readonly properties: ResourceProperties;
}

export type ResourceProperties = Readonly<Record<string, unknown>> & { readonly provisioningState?: string };
