// A program with several Lua states, each in its own thread. They run one script and then close at
// the same time, with all remaining objects.
//
// usage: threads COUNT SCRIPT     the script receives the number of its thread

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 64

typedef struct job {
    pthread_t thread;
    pthread_barrier_t *barrier;
    const char *script;
    int number;
    int failed;
} job;

static int run(lua_State *L) {
    const job *j = lua_touserdata(L, 1);
    luaL_openlibs(L);
    if (luaL_loadfile(L, j->script) != 0) lua_error(L);
    lua_pushnumber(L, j->number);
    lua_call(L, 1, 0);
    return 0;
}

static int failed_in(lua_State *L, job *j) {
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, j);
    return lua_pcall(L, 1, 0, 0) != 0;
}

static void *run_thread(void *user) {
    job *j = user;
    lua_State *L = luaL_newstate();
    // All threads search, load and open the module at the same time.
    pthread_barrier_wait(j->barrier);
    j->failed = L == NULL || failed_in(L, j);
    if (L != NULL && j->failed) fprintf(stderr, "thread %d: %s\n", j->number, lua_tostring(L, -1));
    pthread_barrier_wait(j->barrier);
    if (L != NULL) lua_close(L);
    return NULL;
}

int main(int argc, char **argv) {
    int count = argc == 3 ? atoi(argv[1]) : 0;
    if (count < 1 || count > MAX_THREADS) return 2;
    static job jobs[MAX_THREADS];
    pthread_barrier_t barrier;
    if (pthread_barrier_init(&barrier, NULL, (unsigned)count) != 0) return 1;
    for (int i = 0; i < count; ++i) {
        jobs[i] = (job){.barrier = &barrier, .script = argv[2], .number = i + 1};
        if (pthread_create(&jobs[i].thread, NULL, run_thread, &jobs[i]) != 0) return 1;
    }
    int failed = 0;
    for (int i = 0; i < count; ++i) {
        pthread_join(jobs[i].thread, NULL);
        failed += jobs[i].failed;
    }
    pthread_barrier_destroy(&barrier);
    printf("%d threads, %d failed\n", count, failed);
    return failed > 0;
}
