export { blockOfferings, type FailedOffering } from './block.ts';
export {
  asCloudError,
  type Classified,
  classify,
  cutMessage,
  RAW_MESSAGE_LIMIT,
  refusesEphemeralDisk,
} from './classify.ts';
export { type Block, CALL_ROWS, CAPACITY_ROWS, type ErrorRow, SERVICE_ROWS } from './error-rows.ts';
