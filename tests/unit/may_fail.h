/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MAY_FAIL(type, failed, name, (parameters), arguments...) stands in for a function that the linker leads here (--wrap; see the
 * Makefile): it gives failed where the test's own `bool fails(const char *name)`, defined before, says so, and else does as ever.
 */
#ifndef FOVEA_TEST_MAY_FAIL_H
#define FOVEA_TEST_MAY_FAIL_H

#define MAY_FAIL(type, failed, name, params, ...)                    \
    type __real_##name params;                                       \
    type __wrap_##name params;                                       \
    type __wrap_##name params                                        \
    {                                                                \
        return fails(#name) ? (failed) : __real_##name(__VA_ARGS__); \
    }

#endif
