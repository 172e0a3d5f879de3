#pragma once
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift cannot call:
// one typed door for each kind of value.
static inline CURLcode lifesignal_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lifesignal_curl_set_string(
    CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lifesignal_curl_set_pointer(
    CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode lifesignal_curl_set_list(
    CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
typedef size_t (*lifesignal_curl_write)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode lifesignal_curl_set_write(
    CURL *handle, CURLoption option, lifesignal_curl_write value) {
    return curl_easy_setopt(handle, option, value);
}
typedef curl_socket_t (*lifesignal_curl_open)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode lifesignal_curl_set_open(CURL *handle, lifesignal_curl_open value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode lifesignal_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode lifesignal_curl_multi_set_long(
    CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
// The next transfer that has ended and how; NULL when there is none. CURLMsg holds a union.
static inline CURL *lifesignal_curl_multi_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message = curl_multi_info_read(multi, &left); message;
         message = curl_multi_info_read(multi, &left)) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}
