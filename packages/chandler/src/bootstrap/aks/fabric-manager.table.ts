/**
 * Sizes with GPUs that are connected by NVSwitch: without the fabric manager their CUDA does not start. Grace Blackwell has no
 * such switch on board.
 * Source: AgentBaker's list of sizes, read 2026-08-21.
 */
export const FABRIC_MANAGER_SIZES: ReadonlySet<string> = new Set([
  'standard_nd96asr_v4',
  'standard_nd112asr_a100_v4',
  'standard_nd120asr_a100_v4',
  'standard_nd96amsr_a100_v4',
  'standard_nd112amsr_a100_v4',
  'standard_nd120amsr_a100_v4',
  'standard_nd96ams_a100_v4',
  'standard_nd96ams_v4',
  'standard_nd46s_h100_v5',
  'standard_nd48s_h100_v5',
  'standard_nd50s_h100_v5',
  'standard_nd92is_h100_v5',
  'standard_nd96is_h100_v5',
  'standard_nd100is_h100_v5',
  'standard_nd92isr_h100_v5',
  'standard_nd96isr_h100_v5',
  'standard_nd100isr_h100_v5',
  'standard_nd96is_h200_v5',
  'standard_nd96isr_h200_v5',
  'standard_nd96isrf_h200_v5',
]);
