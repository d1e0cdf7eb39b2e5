/** Loads what is otherwise loaded lazily; see `sdk-modules.ts` above. */
import '../virtual-globals.ts';
import '../../../packages/chandler/src/arm/testing.ts';
