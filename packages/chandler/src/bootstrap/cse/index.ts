/** The menu: what a node's failed provisioning says, and what it means. */

export {
  AKS_NAMES,
  CSE_TABLE_DATE,
  type CseCodeRow,
  type CseGroup,
  UNDEFINED_CONSTANTS,
} from './codes.table.ts';
export { renderCseCodesDoc } from './codes-doc.ts';
export { CSE_CAUSES } from './cse-causes.ts';
export { KEPT_LINES, KEPT_LOG_BYTES, logTail } from './decisive-line.ts';
export * from './describe.ts';
export { imageDateOf } from './image-date.ts';
export * from './name-code.ts';
export * from './parse.ts';
