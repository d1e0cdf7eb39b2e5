/** Types for postject, which has none: only the part that the build uses. */
declare module 'postject' {
  export function inject(
    executable: string,
    resource: string,
    data: Uint8Array,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
