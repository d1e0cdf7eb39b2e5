/** The app as the browser loads it: its files, bundled from sources as the product does it. */
import { pageAssets } from '../../packages/chandler/src/dashboard/page-assets.ts';

export type { Asset } from '../../packages/chandler/src/dashboard/page-assets.ts';

/** By path. */
export const bundleApp = pageAssets();
