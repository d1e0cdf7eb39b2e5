export { camelCase } from './option-row.ts';
export { renderOptionsDoc } from './options-doc.ts';
export type { LayerInputs } from './resolve-options.ts';
