/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that fails: a layer over SQLite's own way to files. fault_vfs_arm(n, code) lets the n-th write, sync or truncation from
 * now on fail, and all that follow until fault_vfs_heal.
 */
#ifndef FOVEA_FAULT_VFS_H
#define FOVEA_FAULT_VFS_H

#include <sqlite3.h>
#include <string.h>

static struct {
    sqlite3_vfs vfs, *under;
    long left;  /* until it fails; below 0: never */
    int code;
    long count; /* of what could have failed */
} fault_disk = {.left = -1};

struct fault_file {
    sqlite3_file base;
    sqlite3_io_methods methods;
    sqlite3_file *under;
};

static inline sqlite3_file *fault_under(sqlite3_file *f)
{
    return ((struct fault_file *)f)->under;
}

static inline int fault_now(void)
{
    fault_disk.count++;
    if (fault_disk.left < 0)
        return SQLITE_OK;
    if (fault_disk.left > 1) {
        fault_disk.left--;
        return SQLITE_OK;
    }
    return fault_disk.code;
}

/* Half of what fails was written all the same. */
static inline int fault_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
    int code = fault_now();
    if (code != SQLITE_OK) {
        (void)fault_under(f)->pMethods->xWrite(fault_under(f), data, n / 2, at);
        return code;
    }
    return fault_under(f)->pMethods->xWrite(fault_under(f), data, n, at);
}
static inline int fault_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    int code = fault_now();
    return code != SQLITE_OK ? code : fault_under(f)->pMethods->xTruncate(fault_under(f), n);
}
static inline int fault_sync(sqlite3_file *f, int flags)
{
    int code = fault_now();
    return code != SQLITE_OK ? SQLITE_IOERR_FSYNC : fault_under(f)->pMethods->xSync(fault_under(f), flags);
}

#define FAULT_PASS(name, params, ...)                                                       \
    static inline int fault_##name params                                                   \
    {                                                                                       \
        return fault_under(f)->pMethods->name(fault_under(f), ##__VA_ARGS__);               \
    }
FAULT_PASS(xRead, (sqlite3_file * f, void *data, int n, sqlite3_int64 at), data, n, at)
FAULT_PASS(xFileSize, (sqlite3_file * f, sqlite3_int64 *n), n)
FAULT_PASS(xLock, (sqlite3_file * f, int how), how)
FAULT_PASS(xUnlock, (sqlite3_file * f, int how), how)
FAULT_PASS(xCheckReservedLock, (sqlite3_file * f, int *ret), ret)
FAULT_PASS(xFileControl, (sqlite3_file * f, int op, void *arg), op, arg)
FAULT_PASS(xSectorSize, (sqlite3_file * f))
FAULT_PASS(xDeviceCharacteristics, (sqlite3_file * f))
FAULT_PASS(xShmMap, (sqlite3_file * f, int page, int size, int extend, void volatile **ret), page, size, extend, ret)
FAULT_PASS(xShmLock, (sqlite3_file * f, int at, int n, int flags), at, n, flags)
FAULT_PASS(xShmUnmap, (sqlite3_file * f, int remove_), remove_)

static inline void fault_xShmBarrier(sqlite3_file *f)
{
    fault_under(f)->pMethods->xShmBarrier(fault_under(f));
}

static inline int fault_close(sqlite3_file *f)
{
    return fault_under(f)->pMethods ? fault_under(f)->pMethods->xClose(fault_under(f)) : SQLITE_OK;
}

static inline int fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret)
{
    struct fault_file *file = (struct fault_file *)f;
    (void)vfs;
    memset(file, 0, sizeof *file);
    file->under = (sqlite3_file *)(file + 1);
    int code = fault_disk.under->xOpen(fault_disk.under, name, file->under, flags, ret);
    if (code != SQLITE_OK)
        return code;
    file->methods = (sqlite3_io_methods){
        2,           fault_close,  fault_xRead,  fault_write,   fault_truncate,           fault_sync,         fault_xFileSize,
        fault_xLock, fault_xUnlock, fault_xCheckReservedLock,   fault_xFileControl,       fault_xSectorSize,
        fault_xDeviceCharacteristics, fault_xShmMap, fault_xShmLock, fault_xShmBarrier, fault_xShmUnmap, NULL, NULL};
    file->base.pMethods = &file->methods;
    return SQLITE_OK;
}

static inline void fault_vfs_install(void)
{
    if (fault_disk.under)
        return;
    fault_disk.under = sqlite3_vfs_find(NULL);
    fault_disk.vfs = *fault_disk.under;
    fault_disk.vfs.zName = "fault";
    fault_disk.vfs.szOsFile = (int)sizeof(struct fault_file) + fault_disk.under->szOsFile;
    fault_disk.vfs.xOpen = fault_open;
    (void)sqlite3_vfs_register(&fault_disk.vfs, 1);
}

static inline void fault_vfs_arm(long n, int code)
{
    fault_disk.left = n;
    fault_disk.code = code;
}

static inline void fault_vfs_heal(void)
{
    fault_disk.left = -1;
}

#endif
