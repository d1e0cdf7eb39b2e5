/** The package has no types of its own; this is the part of it that the build uses. */
declare module 'postject' {
  export function inject(
    executable: string,
    resource: string,
    data: Uint8Array,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
