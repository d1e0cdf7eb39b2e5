/**
 * Loads the modules that production code imports lazily: loading a module takes real time, and a run in virtual time
 * would not wait for it.
 */
import '../../packages/chandler/src/arm/testing.ts';
import '../../packages/chandler/src/api/kinds/index.ts';
import '@chandler/cloudsim/azure';
import '@chandler/apiserver/standins';
