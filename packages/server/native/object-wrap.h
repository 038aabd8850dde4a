// Compiled into SQLite's driver before its own sources, by CXXFLAGS="-include …".
//
// From Node 24.19 on, the destructor of node::ObjectWrap removes a cleanup hook, which aborts the process
// when the garbage collector deletes the object outside a JavaScript call. Statements and databases of
// better-sqlite3 12 derive from it. Earlier lines of Node have no such hook. better-sqlite3 13 does not
// use ObjectWrap, but does not run on Node 20.
#include <node.h>
#define AddEnvironmentCleanupHook(...) static_cast<void>(0)
#define RemoveEnvironmentCleanupHook(...) static_cast<void>(0)
#include <node_object_wrap.h>
#undef AddEnvironmentCleanupHook
#undef RemoveEnvironmentCleanupHook
