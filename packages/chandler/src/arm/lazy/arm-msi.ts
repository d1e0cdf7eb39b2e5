/** Loaded on first use. Named re-exports, because a bundle gives only `default` of a CommonJS package that is imported lazily. */
export { ManagedServiceIdentityClient } from '@azure/arm-msi';
