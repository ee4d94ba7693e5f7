/* Tells programs that are started with it another time of day: WRONG_CLOCK seconds off, or each time another one.
   Clocks that only measure how long something takes are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static long long offset(void) {
  const char *told = getenv("WRONG_CLOCK");
  static int calls;
  if (told == NULL) return 0;
  return strcmp(told, "jumping") == 0 ? (calls++ % 5 - 2) * 86400LL : atoll(told);
}

int clock_gettime(clockid_t which, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int done = real(which, now);
  if (done == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
  return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  static int (*real)(struct timeval *, void *);
  if (real == NULL) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
  int done = real(now, zone);
  if (done == 0) now->tv_sec += offset();
  return done;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place != NULL) *place = now.tv_sec;
  return now.tv_sec;
}
